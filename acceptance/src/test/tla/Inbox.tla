\* SPDX-License-Identifier: Apache-2.0
------------------------------- MODULE Inbox -------------------------------
(***************************************************************************)
(* What the inbox does, step by step, so that TLC can try every order of   *)
(* the steps of several workers, a broker, a reaper and an operator.       *)
(*                                                                         *)
(* One step is one committed statement, or the statement that takes a lock *)
(* which is kept until the commit. docs/internals/model.md lists which     *)
(* SQL statement is which step.                                            *)
(*                                                                         *)
(* Nothing is counted and there is no clock. A message may be delivered,   *)
(* fail, crash its worker and lose its lease any number of times, and a    *)
(* lease may run out at any moment. So what holds here holds for every     *)
(* clock, every pause and every number of repetitions; and the number of   *)
(* states is finite all the same.                                          *)
(*                                                                         *)
(* Every rule is a constant. With all of them TRUE the promises hold; with *)
(* one of them FALSE a promise breaks, and TLC shows how.                  *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    Workers,       \* who receives and who works; every worker does both
    Messages,      \* 1..n; of one key when the consumer is ordered
    Conflicting,   \* messages that are also sent with another payload under the same id
    Mode,          \* "direct": acknowledged after processing; "stored": after the entry is durable
    RetryBy,       \* "inbox" or "redelivery": who tries a failed message of direct mode again
    Ordering,      \* "none"; "hold": all messages have one key and keep its order; "skip": a parked one lets others pass
    Batch,         \* how many entries one lease may be for
    MayHappen      \* what may go wrong, and what an operator may do

CONSTANTS
    SameTransaction,      \* effect and mark are committed together
    BirthWithMark,        \* a stored message's entry is committed with its mark
    OwnMarkBirth,         \* after a lost connection an entry is born only with a mark of its own
    AckAfterCommit,       \* the broker is told after the commit
    AckWhatIsKept,        \* a failed message that its redelivery has to try again is not acknowledged
    UnknownIsUnknown,     \* a commit without an answer is not taken for a success
    VanishedStartsAgain,  \* a mark that was there and is not any more means "start again", not "new"
    TakeByLock,           \* a redelivery takes a failed entry by its row lock
    ConflictApart,        \* another payload gets an entry of its own
    Gate,                 \* claims of one consumer come one after another
    Fence,                \* who settles has to find the row of the lease
    Counted,              \* the entry has to be where it was: the row count is checked
    GuardedFailure,       \* failures are written behind the same fence as successes
    OneStepReaper,        \* a lease is taken away and its entries are changed in one statement
    DiscardIsAState,      \* a discarded entry stays; absence means done
    ReplayIsNew,          \* a replay is a new generation with an entry of its own
    PurgeSparesLive,      \* a mark is purged only when nothing is left to do for it
    PurgeAfterHorizon,    \* a mark is purged only when its message cannot come back
    PurgeIsSeen,          \* who restores or replays a message holds its mark: a purge sees it, or it sees the purge
    KeyLock,              \* every step of an ordered message takes the row of its key
    HeadBlocks,           \* a head that failed or is parked holds its key
    ReleaseNextOnly,      \* a head that leaves makes the next one due, not all
    LeaseWithEntry,       \* the lease of a delivery that is claimed first is committed with its entry
    ClaimedIsBusy         \* another delivery of a message that is claimed first is not acknowledged

(* Consumers that keep order retry by the inbox: redelivery owns none of their messages. *)
ASSUME Ordering = "none" \/ RetryBy = "inbox"

VARIABLES
    ledger,     \* the payload that a message was recorded with, "none" when there is no row
    entries,    \* rows <<id, state>>; the primary key of the table has the state in it, so two states are possible
    bodies,     \* conflicts that are kept, <<message, payload>>: their body row is their mark
    leases,     \* rows [t |-> token, es |-> entries]
    job,        \* what each worker is at, and its open transaction
    orphans,    \* server sessions that were sent a COMMIT and lost their client: they commit or they do not
    reaping,    \* what a reaper or a janitor of two steps has read
    acked,      \* what the broker was told to forget
    forgotten,  \* messages that the broker cannot deliver any more
    line,       \* messages by arrival number, when they are ordered
    before,     \* <<m, n>>: m was recorded when the mark of n was inserted, so m comes first
    effects,    \* how often each message, generation and payload had its effect
    done,       \* the effects of a key in their order
    skipped,    \* entries that somebody discarded, ever
    resting,    \* entries that are discarded and were not restored
    purged,     \* messages whose mark was purged
    strayed     \* whether somebody settled under a lease that was gone

database == <<ledger, entries, bodies, leases>>
broker == <<acked, forgotten>>
history == <<effects, done, skipped, resting, purged, strayed>>
order == <<line, before>>
vars == <<database, job, orphans, reaping, broker, order, history>>

(* An entry is known by message, generation and payload: its arrival number. *)
Ids == {<<m, 0, "a">> : m \in Messages} \cup {<<m, 0, "b">> : m \in Conflicting}
       \cup (IF "replay" \in MayHappen THEN {<<m, 1, "a">> : m \in Messages} ELSE {})
Sent == {<<m, "a">> : m \in Messages} \cup {<<m, "b">> : m \in Conflicting}
NoId == <<0, 0, "none">>
Tokens == 1..(Cardinality(Ids) + Cardinality(Workers) + 2)
Idle == [pc |-> "idle", e |-> NoId, tx |-> "none", wait |-> FALSE, t |-> 0, es |-> {}]

Init ==
    /\ ledger = [m \in Messages |-> "none"]
    /\ entries = {} /\ bodies = {} /\ leases = {}
    /\ job = [w \in Workers |-> Idle]
    /\ orphans = {} /\ reaping = {}
    /\ acked = {} /\ forgotten = {}
    /\ line = <<>> /\ before = {} /\ done = <<>>
    /\ effects = [e \in Ids |-> 0]
    /\ skipped = {} /\ resting = {} /\ purged = {} /\ strayed = FALSE

-----------------------------------------------------------------------------
(* Entries. RETRY is FAILED_RETRYABLE of the inbox, REDELIVERY is FAILED_RETRYABLE of redelivery, CLAIMED is RECEIVED of
   redelivery: see ClaimFirst.tla. PARKED stands for FAILED_TERMINAL as well: both hold their key, both wait for an operator,
   neither is claimed. *)

Live == {"RECEIVED", "WAITING", "RETRY", "REDELIVERY", "CLAIMED", "PARKED"}
Due == {"RECEIVED", "RETRY"}
Active == {"RECEIVED", "RETRY", "REDELIVERY"}

Ordered == Ordering /= "none"
(* What holds the later ones of a key. *)
Blocking == IF ~HeadBlocks THEN {"RECEIVED", "WAITING"}
            ELSE Active \cup {"WAITING"} \cup (IF Ordering = "skip" THEN {} ELSE {"PARKED"})

StatesOf(e) == {x[2] : x \in {y \in entries : y[1] = e}}
Is(e, states) == StatesOf(e) \cap states /= {}
Without(rows, e) == {x \in rows : x[1] /= e}
Put(rows, e, state) == Without(rows, e) \cup {<<e, state>>}

(* The entry of the message itself, not of a replay and not of a conflict: the one that answers deliveries and holds the key. *)
Original(marks, m) == <<m, 0, marks[m]>>
In(rows, marks, states) == {m \in Messages : \E s \in states : <<Original(marks, m), s>> \in rows}
Unfinished(rows, marks) == In(rows, marks, Blocking)
Among(m, some) == \E i \in 1..Len(some) : some[i] = m
First(some) == line[CHOOSE i \in 1..Len(line) : line[i] \in some /\ \A j \in 1..(i - 1) : line[j] \notin some]

(* Whether somebody is in front of a message that is about to be recorded, or in its own place. *)
Behind(m) == Ordered /\ Unfinished(entries, ledger) \ {m} /= {}

(* The first unfinished one of the key, if it waits and nobody is at work. *)
MoveUp(rows, marks) ==
    LET waiting == In(rows, marks, {"WAITING"})
        front == First(Unfinished(rows, marks))
        next == IF ReleaseNextOnly THEN {front} \cap waiting ELSE waiting
    IN IF ~Ordered \/ waiting = {} \/ In(rows, marks, Active) /= {}
       THEN rows
       ELSE {x \in rows : \A m \in next : x[1] /= Original(marks, m)}
            \cup {<<Original(marks, m), "RECEIVED">> : m \in next}

-----------------------------------------------------------------------------
(* Locks are what open transactions hold; a lost client's session holds them until it is over. *)

Open == {job[w] : w \in {u \in Workers : job[u].pc = "run"}} \cup orphans
MarkLocked(m) == \E x \in Open : x.tx = "mark" /\ x.e[1] = m
EntryLocked(e) == \E x \in Open : x.e = e /\ (x.tx = "settle" \/ (x.tx = "take" /\ TakeByLock))
LeaseLocked(t) == Fence /\ \E x \in Open : x.tx = "settle" /\ x.t = t
(* A failure that lets nobody pass does not ask for the key. *)
NeedsNoKey(way) == way = "bad" \/ (way = "end" /\ Ordering = "hold")
KeyFree == ~Ordered \/ ~KeyLock \/ \A x \in Open : x.tx = "settle" /\ NeedsNoKey(x.pc)

Leased == UNION {l.es : l \in leases}
Holds(t, e) == \E l \in leases : l.t = t /\ e \in l.es
Shrink(t, e) == {l \in leases : l.t /= t}
                \cup {[l EXCEPT !.es = @ \ {e}] : l \in {k \in leases : k.t = t /\ k.es \ {e} /= {}}}

FreeTokens == {t \in Tokens : /\ \A l \in leases : l.t /= t
                              /\ \A w \in Workers : job[w].t /= t
                              /\ \A x \in orphans : x.t /= t}
(* Tokens are random: one that nobody remembers may as well be used again. *)
NewToken == CHOOSE t \in FreeTokens : \A u \in FreeTokens : t <= u

-----------------------------------------------------------------------------
(* A transaction is a job with a way to end: ok, store, adopt (the inbox's from now on, because this node stores), bad (to be
   tried again) or end (set aside). *)

Ways(x) ==
    LET failing == IF "fail" \in MayHappen THEN {"bad", "end"} ELSE {}
        adopting == IF "adopt" \in MayHappen /\ x.tx = "take" THEN {"adopt"} ELSE {}
    IN IF x.tx = "mark" /\ (Mode = "stored" \/ x.wait) THEN {"store"} ELSE {"ok"} \cup failing \cup adopting

(* Whether the entry is where it was when the worker got it. The statements name the very state; here any state in which it
   could have been got will do, so the model is a little more lenient than the statements. *)
InPlace(x) == CASE x.tx = "take" -> Is(x.e, {"REDELIVERY"})
                [] x.tx = "settle" -> Is(x.e, Due \cup {"CLAIMED"})
                [] OTHER -> TRUE

(* Whether its statements hit their rows. If they do not, it is rolled back. *)
Possible(x, way) ==
    \/ x.tx = "settle" /\ way \in {"bad", "end"} /\ ~GuardedFailure
    \/ (x.tx = "settle" /\ Fence => Holds(x.t, x.e)) /\ (Counted => InPlace(x))

FailedState(x) == IF RetryBy = "redelivery" /\ (x.tx \in {"mark", "take"} \/ Is(x.e, {"CLAIMED"})) THEN "REDELIVERY" ELSE "RETRY"

(* What it leaves behind. *)
Apply(x, way) ==
    LET marked == IF x.tx = "mark" /\ (SameTransaction \/ way /= "ok")
                  THEN [ledger EXCEPT ![x.e[1]] = x.e[3]] ELSE ledger
        rows == CASE way /= "store" /\ ~InPlace(x) /\ (way = "ok" \/ GuardedFailure) -> entries
                  [] way = "ok" -> MoveUp(Without(entries, x.e), marked)
                  [] way = "store" -> IF BirthWithMark
                                      THEN entries \cup {<<x.e, IF x.wait THEN "WAITING" ELSE "RECEIVED">>}
                                      ELSE entries
                  [] way = "adopt" -> Put(entries, x.e, "RETRY")
                  [] way = "bad" -> Put(entries, x.e, FailedState(x))
                  [] way = "end" -> IF Ordering = "skip" THEN MoveUp(Put(entries, x.e, "PARKED"), marked)
                                    ELSE Put(entries, x.e, "PARKED")
    IN /\ ledger' = marked
       /\ entries' = rows
       /\ leases' = Shrink(x.t, x.e)
       /\ effects' = IF way = "ok" THEN [effects EXCEPT ![x.e] = IF @ < 2 THEN @ + 1 ELSE 2] ELSE effects
       /\ done' = IF way = "ok" /\ Ordered /\ x.e = Original(marked, x.e[1]) /\ ~Among(x.e[1], done)
                  THEN Append(done, x.e[1]) ELSE done
       /\ strayed' = (strayed \/ (x.tx = "settle" /\ ~Holds(x.t, x.e)))
       /\ skipped' = IF way = "end" /\ Ordering = "skip" THEN skipped \cup {x.e} ELSE skipped
       /\ UNCHANGED <<bodies, resting, purged>>

(* An arrival number is drawn behind the lock of the key, when the ledger row is inserted; Order.tla shows why. *)
JoinLine(m) ==
    /\ line' = IF Ordered THEN Append(line, m) ELSE line
    /\ before' = IF Ordered THEN before \cup {<<n, m>> : n \in {k \in Messages : ledger[k] /= "none"}} ELSE before
Leave(m) ==
    /\ line' = SelectSeq(line, LAMBDA n : n /= m)
    /\ before' = {b \in before : b[1] /= m /\ b[2] /= m}
LeaveLine(x) == IF x.tx = "mark" THEN Leave(x.e[1]) ELSE UNCHANGED order

(* What a worker does when its delivery's transaction is committed. *)
AfterCommit(x, way) ==
    CASE way = "ok" /\ x.tx = "mark" /\ ~SameTransaction -> [Idle EXCEPT !.pc = "marking", !.e = x.e]
      [] way = "store" /\ ~BirthWithMark -> [Idle EXCEPT !.pc = "bearing", !.e = x.e, !.wait = x.wait]
      [] way = "bad" /\ FailedState(x) = "REDELIVERY" /\ AckWhatIsKept -> Idle
      [] OTHER -> [Idle EXCEPT !.pc = "ack", !.e = x.e]

Become(w, next) == job' = [job EXCEPT ![w] = next]

-----------------------------------------------------------------------------
(* The front door, both modes. *)

(* A delivery, the first or any later one. The row of its key is locked first, until the commit; then its ledger row is
   inserted. A row that another transaction is writing is waited for; a wait that is too long is BUSY, which changes nothing.
   What is in front of the message decides whether it runs or is stored behind. *)
Record(w, m, v) ==
    /\ job[w].pc = "idle" /\ <<m, v>> \in Sent /\ m \notin forgotten
    /\ ~MarkLocked(m) /\ KeyFree
    /\ acked' = IF AckAfterCommit THEN acked ELSE acked \cup {<<m, v>>}
    /\ IF ledger[m] /= "none"
       THEN Become(w, [Idle EXCEPT !.pc = "known", !.e = <<m, 0, v>>]) /\ UNCHANGED order
       ELSE /\ Become(w, [Idle EXCEPT !.pc = "run", !.e = <<m, 0, v>>, !.tx = "mark", !.wait = Behind(m)])
            /\ JoinLine(m)
    /\ UNCHANGED <<database, orphans, reaping, forgotten, history>>

(* Another payload under a known id: its body row is its mark, its entry is parked under a number of its own. *)
KeepConflict(m, v) ==
    IF ConflictApart
    THEN /\ bodies' = bodies \cup {<<m, v>>}
         /\ entries' = IF <<m, v>> \in bodies THEN entries ELSE entries \cup {<<<<m, 0, v>>, "PARKED">>}
    ELSE /\ bodies' = bodies \cup {<<m, v>>}
         /\ entries' = IF <<m, v>> \in bodies THEN entries ELSE Put(entries, Original(ledger, m), "PARKED")

(* The mark was there: what is known decides. *)
Answer(w) ==
    LET m == job[w].e[1]
        v == job[w].e[3]
        e == Original(ledger, m)
        ack == [Idle EXCEPT !.pc = "ack", !.e = job[w].e]
    IN /\ job[w].pc = "known"
       /\ CASE ledger[m] = "none" ->
                    /\ Become(w, IF VanishedStartsAgain THEN Idle ELSE [job[w] EXCEPT !.pc = "run", !.tx = "unmarked"])
                    /\ UNCHANGED <<entries, bodies>>
            [] ledger[m] = v ->
                    /\ Become(w, CASE Is(e, {"REDELIVERY"}) -> [job[w] EXCEPT !.pc = "taking"]
                                    [] Is(e, {"CLAIMED"}) /\ ClaimedIsBusy -> Idle
                                    [] OTHER -> ack)
                    /\ UNCHANGED <<entries, bodies>>
            [] OTHER -> Become(w, ack) /\ KeepConflict(m, v)
       /\ UNCHANGED <<ledger, leases, orphans, reaping, broker, order, history>>

(* A redelivery takes over a failed entry. Whoever comes second finds it changed and is BUSY. *)
Take(w) ==
    LET e == job[w].e
    IN /\ job[w].pc = "taking"
       /\ ~EntryLocked(e)
       /\ Become(w, IF ~TakeByLock \/ Is(e, {"REDELIVERY"}) THEN [job[w] EXCEPT !.pc = "run", !.tx = "take"] ELSE Idle)
       /\ UNCHANGED <<database, orphans, reaping, broker, order, history>>

(* Handler and commit of direct mode, or the commit of a stored message and its entry. *)
Commit(w, way) ==
    LET x == job[w]
    IN /\ x.pc = "run" /\ way \in Ways(x)
       /\ IF Possible(x, way)
          THEN Apply(x, way) /\ Become(w, AfterCommit(x, way)) /\ UNCHANGED order
          ELSE Become(w, Idle) /\ LeaveLine(x) /\ UNCHANGED <<database, history>>
       /\ UNCHANGED <<orphans, reaping, broker>>

(* The connection goes away before COMMIT was sent: the server rolls back. *)
LoseConnection(w) ==
    /\ "lost" \in MayHappen /\ job[w].pc = "run" /\ job[w].tx /= "unmarked"
    /\ Become(w, [Idle EXCEPT !.pc = "gone", !.e = job[w].e])
    /\ LeaveLine(job[w])
    /\ UNCHANGED <<database, orphans, reaping, broker, history>>

(* It goes away after COMMIT was sent: nobody knows. *)
LoseCommit(w, way) ==
    LET x == job[w]
    IN /\ "lost" \in MayHappen /\ orphans = {}
       /\ x.pc = "run" /\ way \in Ways(x) /\ Possible(x, way)
       /\ orphans' = {[x EXCEPT !.pc = way]}
       /\ Become(w, [Idle EXCEPT !.pc = IF UnknownIsUnknown THEN "gone" ELSE "ack", !.e = x.e])
       /\ UNCHANGED <<database, reaping, broker, order, history>>

OrphanCommits(x) ==
    /\ x \in orphans
    /\ orphans' = orphans \ {x}
    /\ Apply(x, x.pc)
    /\ UNCHANGED <<job, reaping, broker, order>>

OrphanAborts(x) ==
    /\ x \in orphans
    /\ orphans' = orphans \ {x}
    /\ LeaveLine(x)
    /\ UNCHANGED <<database, job, reaping, broker, history>>

(* After a lost connection the failure is recorded in a transaction of its own: mark and entry in one statement. If the mark
   is there already, somebody was faster, or our own commit came through after all; then the ledger answers. *)
Birth(w) ==
    LET m == job[w].e[1]
        v == job[w].e[3]
        redelivery == Mode = "direct" /\ RetryBy = "redelivery"
        state == IF Behind(m) THEN "WAITING" ELSE IF redelivery THEN "REDELIVERY" ELSE "RETRY"
    IN /\ job[w].pc = "gone" /\ ~MarkLocked(m) /\ KeyFree
       /\ IF ledger[m] /= "none" /\ OwnMarkBirth
          THEN Become(w, [job[w] EXCEPT !.pc = "known"]) /\ UNCHANGED <<database, order>>
          ELSE /\ entries' = entries \cup {<<<<m, 0, v>>, state>>}
               /\ ledger' = [ledger EXCEPT ![m] = IF @ = "none" THEN v ELSE @]
               /\ IF ledger[m] = "none" THEN JoinLine(m) ELSE UNCHANGED order
               /\ Become(w, IF state = "REDELIVERY" THEN Idle ELSE [job[w] EXCEPT !.pc = "ack"])
               /\ UNCHANGED <<bodies, leases>>
       /\ UNCHANGED <<orphans, reaping, broker, history>>

Acknowledge(w) ==
    /\ job[w].pc = "ack"
    /\ acked' = acked \cup {<<job[w].e[1], job[w].e[3]>>}
    /\ Become(w, Idle)
    /\ UNCHANGED <<database, orphans, reaping, forgotten, order, history>>

(* The worker's process ends, or it gives up (BUSY) and leaves the rest to redelivery and reaper. Open transactions are rolled
   back. *)
Crash(w) ==
    /\ job[w].pc /= "idle" /\ ("crash" \in MayHappen \/ job[w].pc = "gone")
    /\ Become(w, Idle)
    /\ IF job[w].pc = "run" THEN LeaveLine(job[w]) ELSE UNCHANGED order
    /\ UNCHANGED <<database, orphans, reaping, broker, history>>

-----------------------------------------------------------------------------
(* Working on entries, both modes. *)

DueNow == {e \in Ids : Is(e, Due) /\ e \notin Leased}
Choices == {es \in SUBSET DueNow : es /= {} /\ Cardinality(es) <= Batch}

(* Behind the gate every lease that was committed is seen. *)
Claim(w) ==
    /\ Gate /\ job[w].pc = "idle" /\ FreeTokens /= {}
    /\ \E es \in Choices :
          /\ leases' = leases \cup {[t |-> NewToken, es |-> es]}
          /\ Become(w, [Idle EXCEPT !.pc = "held", !.t = NewToken, !.es = es])
    /\ UNCHANGED <<ledger, entries, bodies, orphans, reaping, broker, order, history>>

Settling(w, e) == [Idle EXCEPT !.e = e, !.tx = "settle", !.t = job[w].t]
Free(w, e, way) == ~LeaseLocked(job[w].t) /\ ~EntryLocked(e) /\ (KeyFree \/ NeedsNoKey(way))

(* Handler, fence, removal or failure of the entry, the next of its key, commit. The handler runs before the first lock, so
   one step is enough. The fence lets go of this entry; the lease ends with its last one. *)
Settle(w, e, way) ==
    LET x == Settling(w, e)
        rest == job[w].es \ {e}
    IN /\ job[w].pc = "held" /\ e \in job[w].es /\ way \in Ways(x) /\ Free(w, e, way)
       /\ IF Possible(x, way)
          THEN Apply(x, way) /\ Become(w, IF rest = {} THEN Idle ELSE [job[w] EXCEPT !.es = rest])
          ELSE Become(w, Idle) /\ UNCHANGED <<database, history>>
       /\ UNCHANGED <<orphans, reaping, broker, order>>

(* Its COMMIT gets no answer. The worker has its lease still, as far as it knows, and tries again or gives it back. *)
LoseSettle(w, e, way) ==
    LET x == Settling(w, e)
    IN /\ "lost" \in MayHappen /\ orphans = {}
       /\ job[w].pc = "held" /\ e \in job[w].es /\ way \in Ways(x) /\ Free(w, e, way) /\ Possible(x, way)
       /\ orphans' = {[x EXCEPT !.pc = way]}
       /\ UNCHANGED <<database, job, reaping, broker, order, history>>

(* Nobody pays. *)
Release(w) ==
    /\ job[w].pc = "held" /\ ~LeaseLocked(job[w].t)
    /\ leases' = {l \in leases : l.t /= job[w].t}
    /\ Become(w, Idle)
    /\ UNCHANGED <<ledger, entries, bodies, orphans, reaping, broker, order, history>>

(* A lease is over, whoever has it and whatever the clock says. Its entries are tried again, or parked when that happened
   too often; what redelivery owns is tried again by the next delivery. A lease that is being settled is locked and is skipped. *)
Reap(l, state) ==
    /\ "reap" \in MayHappen /\ OneStepReaper
    /\ l \in leases /\ ~LeaseLocked(l.t)
    /\ \A e \in l.es : ~EntryLocked(e)
    /\ leases' = leases \ {l}
    /\ LET passing == state = "PARKED" /\ Ordering = "skip"
           late == {x \in entries : x[1] \in l.es /\ x[2] \in Due \cup {"CLAIMED"}}
           rows == (entries \ late)
                   \cup {<<x[1], IF x[2] = "CLAIMED" /\ state = "RETRY" THEN "REDELIVERY" ELSE state>> : x \in late}
       IN /\ passing => KeyFree
          /\ entries' = IF passing THEN MoveUp(rows, ledger) ELSE rows
          /\ skipped' = IF passing THEN skipped \cup {x[1] : x \in late} ELSE skipped
    /\ UNCHANGED <<ledger, bodies, job, orphans, reaping, broker, order, effects, done, resting, purged, strayed>>

-----------------------------------------------------------------------------
(* What an operator does, and the janitor. *)

Discard(e) ==
    /\ "discard" \in MayHappen /\ Is(e, Live) /\ ~EntryLocked(e) /\ KeyFree
    /\ entries' = MoveUp(IF DiscardIsAState THEN Put(entries, e, "DISCARDED") ELSE Without(entries, e), ledger)
    /\ skipped' = skipped \cup {e} /\ resting' = resting \cup {e}
    /\ UNCHANGED <<ledger, bodies, leases, job, orphans, reaping, broker, order, effects, done, purged, strayed>>

(* Commands other than discarding leave alone what is being worked on; discarding does in the code, but need not. *)
AtRest(e) == e \notin Leased /\ ~EntryLocked(e) /\ KeyFree
Keyed(e) == Ordered /\ e = Original(ledger, e[1])

(* Back, but not yet in line: it is parked, and holds its key as any parked one. *)
Restore(e) ==
    /\ "discard" \in MayHappen /\ Is(e, {"DISCARDED"}) /\ AtRest(e)
    /\ entries' = Put(entries, e, "PARKED")
    /\ resting' = resting \ {e}
    /\ UNCHANGED <<ledger, bodies, leases, job, orphans, reaping, broker, order, effects, done, skipped, purged, strayed>>

(* Back in line: of a key it waits, and the first that waits is let go if nobody is at work. *)
Redrive(e) ==
    /\ "redrive" \in MayHappen /\ Is(e, {"PARKED", "RETRY", "REDELIVERY"}) /\ AtRest(e)
    /\ entries' = IF Keyed(e) THEN MoveUp(Put(entries, e, "WAITING"), ledger) ELSE Put(entries, e, "RETRY")
    /\ UNCHANGED <<ledger, bodies, leases, job, orphans, reaping, broker, order, history>>

(* Parked by an operator. *)
SetAside(e) ==
    /\ "park" \in MayHappen /\ Is(e, Live \ {"PARKED"}) /\ AtRest(e)
    /\ entries' = IF Ordering = "skip" THEN MoveUp(Put(entries, e, "PARKED"), ledger) ELSE Put(entries, e, "PARKED")
    /\ skipped' = IF Ordering = "skip" THEN skipped \cup {e} ELSE skipped
    /\ UNCHANGED <<ledger, bodies, leases, job, orphans, reaping, broker, order, effects, done, resting, purged, strayed>>

(* A completed message once more, on purpose: another generation, so its effect is another effect. *)
Replay(m) ==
    LET again == <<m, 1, "a">>
    IN /\ "replay" \in MayHappen /\ ledger[m] /= "none" /\ StatesOf(Original(ledger, m)) = {}
       /\ StatesOf(again) = {} /\ effects[again] = 0
       /\ entries' = entries \cup {<<IF ReplayIsNew THEN again ELSE Original(ledger, m), "RECEIVED">>}
       /\ UNCHANGED <<ledger, bodies, leases, job, orphans, reaping, broker, order, history>>

(* The broker cannot deliver it any more, and nobody is about to insert its mark. A delivery whose insert found the mark may
   still be under way, however slow. *)
Forget(m) ==
    /\ "purge" \in MayHappen /\ m \notin forgotten
    /\ \A s \in Sent : s[1] = m => s \in acked
    /\ \A w \in Workers : job[w].e[1] = m => job[w].pc \notin {"run", "gone"}
    /\ \A x \in orphans : x.e[1] /= m
    /\ forgotten' = forgotten \cup {m}
    /\ UNCHANGED <<database, job, orphans, reaping, acked, order, history>>

Purgeable(m) ==
    /\ "purge" \in MayHappen /\ ledger[m] /= "none" /\ ~MarkLocked(m)
    /\ PurgeAfterHorizon => m \in forgotten
    /\ PurgeSparesLive => \A x \in entries : x[1][1] = m => x[2] \notin Live

(* The mark, its bodies and what was discarded. One statement is not one moment: it deletes what it saw when it began. It is one
   moment if it looks again behind the lock of the mark, and if whoever brings the message back holds that lock too. *)
Purge(m) ==
    /\ PurgeIsSeen /\ Purgeable(m)
    /\ ledger' = [ledger EXCEPT ![m] = "none"]
    /\ entries' = {x \in entries : x[1][1] /= m}
    /\ bodies' = {b \in bodies : b[1] /= m}
    /\ Leave(m)
    /\ resting' = {e \in resting : e[1] /= m}
    /\ purged' = purged \cup {m}
    /\ UNCHANGED <<leases, job, orphans, reaping, broker, effects, done, skipped, strayed>>
=============================================================================
