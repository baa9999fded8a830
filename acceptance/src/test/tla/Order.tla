\* SPDX-License-Identifier: Apache-2.0
------------------------------- MODULE Order -------------------------------
(***************************************************************************)
(* How the messages of one key keep their order: batches of deliveries on  *)
(* several nodes, the lock of the key, arrival numbers, sequence numbers   *)
(* and gaps. Ordered consumers retry by the inbox, so an unfinished        *)
(* message is always the inbox's, and what comes behind it is stored.      *)
(*                                                                         *)
(* A message is its place in the order of its producer; where a sequence   *)
(* is guarded, that is its sequence number. As in Inbox.tla there is no    *)
(* clock and nothing is counted: a wait may be too long at any moment, and *)
(* a gap may time out at any moment. Leases and fences are in Inbox.tla;   *)
(* here a worker settles a due entry in one step.                          *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
    Nodes,         \* each receives one batch at a time
    Messages,      \* 1..n, all of one key
    Mode,          \* "direct": a batch is handled by the delivery; "stored": by workers
    Sequence,      \* "none": the order of arrival; "start": begins with number 1; "first": begins with the first message kept
    OnGap,         \* what the gap timeout does: "none", "park" or "skip"
    Batch,         \* how many messages one delivery brings
    MayHappen      \* what may go wrong, and what an operator may do

CONSTANTS
    KeysFirst,          \* arrival numbers are drawn and ledger rows inserted after the key is locked
    HeldIsGivenBack,    \* a message behind one of its key that was not acknowledged is not recorded
    RowTakenBack,       \* given back: no ledger row stays,
    BodyTakenBack,      \* no body,
    EntryTakenBack,     \* no entry,
    PositionTakenBack,  \* its sequence has not begun or moved,
    GapTimeTakenBack,   \* and no gap time runs because of it
    OldIsSkipped,       \* a message at or below the position of its key is not run
    GapHolds,           \* a message that waits is due when its number is the next one
    GapSameStill        \* the gap timeout checks the gap again under the lock of the key

VARIABLES
    ledger,    \* messages with a committed ledger row
    bodies,    \* messages with a body
    entry,     \* state of the entry of each message, "none" when there is no row
    position,  \* the sequence number that was settled or given up last; Unset when there is no row
    gap,       \* whether the time of a gap is running
    line,      \* messages by arrival number; a node stands for numbers that it has drawn and not yet used
    job,       \* what each node is at, and its open transaction
    noticed,   \* gaps that a monitor of two steps has read
    acked,     \* messages that were acknowledged to the broker
    done,      \* the effects in their order
    passed,    \* messages that may be skipped: the sequence began behind them, or their gap was given up
    unswept    \* whether a worker settled while another transaction held the key, and the sweep has not looked since

database == <<ledger, bodies, entry, position, gap>>
vars == <<database, line, job, noticed, acked, done, passed, unswept>>

Unset == -1
Nothing == [entry |-> [m \in Messages |-> "none"], position |-> Unset]
Idle == [pc |-> "idle", call |-> <<>>, found |-> <<>>, acks |-> {}, seen |-> Nothing]
Guarded == Sequence /= "none"

Init ==
    /\ ledger = {} /\ bodies = {} /\ entry = [m \in Messages |-> "none"]
    /\ position = Unset /\ gap = FALSE
    /\ line = <<>> /\ job = [w \in Nodes |-> Idle] /\ noticed = {}
    /\ acked = {} /\ done = <<>> /\ passed = {} /\ unswept = FALSE

-----------------------------------------------------------------------------
(* Entries. PARKED stands for FAILED_TERMINAL as well; both hold their key. *)

Due == {"RECEIVED", "RETRY"}
Blocking == Due \cup {"WAITING", "PARKED"}
In(rows, states) == {m \in Messages : rows[m] \in states}
Lowest(ms) == CHOOSE m \in ms : \A n \in ms : m <= n
Highest(m, n) == IF m > n THEN m ELSE n
Among(m, some) == \E i \in 1..Len(some) : some[i] = m
At(m, some) == CHOOSE i \in 1..Len(some) : some[i] = m

(* The first unfinished message: by sequence number where one is guarded, else by arrival number. *)
First(ms) == IF Guarded THEN Lowest(ms) ELSE line[Lowest({At(m, line) : m \in ms})]

(* The first unfinished message becomes due if it waits, no other one is due, and nothing in front of it is missing. *)
MoveUp(rows, reached) ==
    LET some == In(rows, Blocking)
    IN IF some = {} \/ In(rows, Due) /= {} THEN rows
       ELSE LET m == First(some)
            IN IF rows[m] = "WAITING" /\ (Guarded /\ GapHolds => m <= reached + 1)
               THEN [rows EXCEPT ![m] = "RECEIVED"] ELSE rows

(* The first unfinished message waits for one that has not come. *)
IsGap(rows, reached) ==
    LET some == In(rows, Blocking)
    IN Guarded /\ some /= {} /\ rows[Lowest(some)] = "WAITING" /\ Lowest(some) > reached + 1

-----------------------------------------------------------------------------
(* Locks are what open transactions hold. *)

KeyFree == \A w \in Nodes : ~(KeysFirst /\ job[w].pc \in {"locked", "inserted"})
NewRows(w) == {job[w].call[i] : i \in {j \in 1..Len(job[w].found) : job[w].found[j] = "new"}}
Inserting(m) == \E w \in Nodes : job[w].pc = "inserted" /\ m \in NewRows(w)
Become(w, next) == job' = [job EXCEPT ![w] = next]

-----------------------------------------------------------------------------
(* A delivery: a batch in one transaction. *)

Distinct(call) == \A i, j \in 1..Len(call) : i /= j => call[i] /= call[j]
Rising(call) == \A i \in 1..(Len(call) - 1) : call[i] < call[i + 1]
Calls == {call \in UNION {[1..n -> Messages] : n \in 1..Batch} : Distinct(call) /\ (~Guarded => Rising(call))}

(* Without sequence numbers the source keeps the order: it brings a message when those in front of it are acknowledged, or in
   front of it in the same batch. Two nodes may be given the same message at the same time. With sequence numbers any order
   will do. *)
MayBring(call) ==
    ~Guarded => \A i \in 1..Len(call) : \A m \in Messages : m < call[i] => m \in acked \/ \E j \in 1..(i - 1) : call[j] = m

(* The first unfinished message and the position are read together, once the key is locked: a worker that settles without the key
   changes both at the same time. *)
Lock(w, call) ==
    /\ KeysFirst /\ job[w].pc = "idle" /\ KeyFree /\ MayBring(call)
    /\ Become(w, [Idle EXCEPT !.pc = "locked", !.call = call, !.seen = [entry |-> entry, position |-> position]])
    /\ UNCHANGED <<database, line, noticed, acked, done, passed, unswept>>

(* Without KeysFirst: the numbers are drawn by the insert, which may then wait for rows of others. *)
Draw(w, call) ==
    /\ ~KeysFirst /\ job[w].pc = "idle" /\ MayBring(call)
    /\ Become(w, [Idle EXCEPT !.pc = "drawn", !.call = call])
    /\ line' = IF Guarded THEN line ELSE Append(line, w)
    /\ UNCHANGED <<database, noticed, acked, done, passed, unswept>>

RECURSIVE InPlaceOf(_, _, _)
InPlaceOf(w, some, new) ==
    IF some = <<>> THEN <<>>
    ELSE IF Head(some) = w THEN new \o Tail(some) ELSE <<Head(some)>> \o InPlaceOf(w, Tail(some), new)

(* Ledger rows and bodies. A row that another transaction is inserting is waited for; what is waited for too long is BUSY: that
   row, a lock of the table, or a replay that begins. *)
Insert(w, busy) ==
    LET call == job[w].call
        found == [i \in 1..Len(call) |-> IF call[i] \in busy THEN "busy" ELSE IF call[i] \in ledger THEN "known" ELSE "new"]
        new == SelectSeq(call, LAMBDA m : m \notin busy /\ m \notin ledger)
    IN /\ job[w].pc = (IF KeysFirst THEN "locked" ELSE "drawn")
       /\ busy \subseteq {call[i] : i \in 1..Len(call)} /\ (busy /= {} => "busy" \in MayHappen)
       /\ \A i \in 1..Len(new) : ~Inserting(new[i])
       /\ Become(w, [job[w] EXCEPT !.pc = "inserted", !.found = found])
       /\ line' = CASE Guarded -> line
                    [] KeysFirst -> line \o new
                    [] OTHER -> InPlaceOf(w, line, new)
       /\ UNCHANGED <<database, noticed, acked, done, passed, unswept>>

(* What a batch decides by; without KeysFirst it locks the key and reads at its commit. *)
Seen(w) == IF KeysFirst THEN job[w].seen ELSE [entry |-> entry, position |-> position]

(* What a batch has come to, message by message: the rows that it writes, what it runs, and what it answers. "at" is the position
   that was seen, including what runs in this batch. *)
Start(w) ==
         [ledger |-> ledger, bodies |-> bodies, entry |-> entry, position |-> position, gap |-> gap, at |-> Seen(w).position,
          seen |-> Seen(w).entry, runs |-> <<>>, acks |-> {}, passed |-> passed, held |-> FALSE, first |-> TRUE, early |-> FALSE, old |-> FALSE]

Begin(at, m) == IF at /= Unset THEN at ELSE IF Sequence = "start" THEN 0 ELSE m - 1

Turn(at, m) == CASE ~Guarded -> "next"
                 [] m <= at /\ OldIsSkipped -> "old"
                 [] m <= at + 1 -> "next"
                 [] OTHER -> "early"

Recorded(s, m) == [s EXCEPT !.ledger = @ \cup {m}, !.bodies = @ \cup {m}, !.acks = @ \cup {m}]

(* A sequence begins with a message that is kept: those in front of it may be skipped from now on. *)
Begun(s, m) ==
    IF ~Guarded \/ s.at /= Unset THEN s
    ELSE [s EXCEPT !.at = Begin(@, m), !.position = Highest(@, Begin(Unset, m)),
                   !.passed = @ \cup {n \in Messages : n <= Begin(Unset, m)}]

Keep(s, m) ==
    LET b == Recorded(Begun(s, m), m)
        turn == Turn(b.at, m)
        blocked == \E n \in In(s.seen, Blocking) : Guarded => n <= m
    IN CASE turn = "old" -> [b EXCEPT !.old = TRUE]
         [] turn = "early" -> [b EXCEPT !.entry[m] = "WAITING", !.early = TRUE]
         [] turn = "next" /\ (Mode = "stored" \/ blocked) ->
                [b EXCEPT !.entry[m] = IF blocked \/ ~s.first THEN "WAITING" ELSE "RECEIVED", !.first = FALSE]
         [] OTHER -> [b EXCEPT !.runs = Append(@, m), !.at = IF Guarded THEN m ELSE @]

(* Whatever was written for a message that is given back is taken back. *)
GiveBack(s, m) ==
    LET at == Begin(s.at, m)
        turn == Turn(at, m)
    IN [s EXCEPT !.ledger = IF RowTakenBack THEN @ ELSE @ \cup {m},
                 !.bodies = IF BodyTakenBack THEN @ ELSE @ \cup {m},
                 !.entry[m] = IF EntryTakenBack \/ (Mode = "direct" /\ turn /= "early") THEN @ ELSE "WAITING",
                 !.position = IF PositionTakenBack \/ ~Guarded THEN @ ELSE at,
                 !.at = IF PositionTakenBack \/ ~Guarded THEN @ ELSE at,
                 !.gap = @ \/ (~GapTimeTakenBack /\ turn = "early")]

(* TLC evaluates a bound variable once, and an argument as often as it is used. *)
Only(some) == CHOOSE x \in some : TRUE

RECURSIVE Fold(_, _, _)
Fold(s, call, found) ==
    IF call = <<>> THEN s
    ELSE LET m == Head(call)
             next == CASE Head(found) = "known" -> [s EXCEPT !.acks = @ \cup {m}]
                       [] Head(found) = "busy" -> [s EXCEPT !.held = TRUE]
                       [] s.held /\ HeldIsGivenBack -> GiveBack(s, m)
                       [] OTHER -> Keep(s, m)
         IN Only({Fold(n, Tail(call), Tail(found)) : n \in {next}})

Placed(w) ==
    Only({IF s.early THEN [s EXCEPT !.gap = IsGap(s.entry, s.position)] ELSE s : s \in {Fold(Start(w), job[w].call, job[w].found)}})

(* A handler fails: what it wrote is undone, it becomes an entry, and what would have run behind it is given back. *)
Handled(s, fails, state) ==
    LET ok == SubSeq(s.runs, 1, fails - 1)
        back == {s.runs[i] : i \in (fails + 1)..Len(s.runs)}
        rows == IF fails > Len(s.runs) THEN s.entry ELSE [s.entry EXCEPT ![s.runs[fails]] = state]
        reached == IF Guarded /\ ok /= <<>> THEN Highest(s.position, ok[Len(ok)]) ELSE s.position
        left == Guarded /\ (ok /= <<>> \/ s.old)
        moved == IF left THEN MoveUp(rows, reached) ELSE rows
    IN [s EXCEPT !.ledger = IF RowTakenBack THEN @ \ back ELSE @,
                 !.bodies = IF BodyTakenBack THEN @ \ back ELSE @,
                 !.acks = @ \ back, !.runs = ok, !.entry = moved, !.position = reached,
                 !.gap = IF left THEN IsGap(moved, reached) ELSE @]

(* Several messages met the same outage: none of the batch is kept, and no attempt is counted. *)
Excused(w, s) ==
    [Start(w) EXCEPT !.acks = s.acks \ NewRows(w),
                  !.position = IF PositionTakenBack THEN @ ELSE s.position]

Written(w, s) ==
    /\ ledger' = s.ledger /\ bodies' = s.bodies /\ entry' = s.entry
    /\ position' = s.position /\ gap' = s.gap /\ passed' = s.passed
    /\ done' = done \o s.runs
    /\ line' = SelectSeq(line, LAMBDA m : m \notin NewRows(w) \ s.ledger)
    /\ Become(w, IF s.acks = {} THEN Idle ELSE [Idle EXCEPT !.pc = "ack", !.acks = s.acks])
    /\ UNCHANGED <<noticed, acked, unswept>>

(* Without KeysFirst this locks the key first, and then reads which message is in front. *)
Commit(w) ==
    /\ job[w].pc = "inserted"
    /\ \E s \in {Placed(w)} : \E end \in {Handled(s, Len(s.runs) + 1, "none")} : Written(w, end)

FailOne(w) ==
    /\ "fail" \in MayHappen /\ job[w].pc = "inserted"
    /\ \E s \in {Placed(w)} : \E i \in 1..Len(s.runs), state \in {"RETRY", "PARKED"} :
          \E end \in {Handled(s, i, state)} : Written(w, end)

ExcuseAll(w) ==
    /\ "outage" \in MayHappen /\ job[w].pc = "inserted"
    /\ \E s \in {Placed(w)} : s.runs /= <<>> /\ \E end \in {Excused(w, s)} : Written(w, end)

Acknowledge(w) ==
    /\ job[w].pc = "ack"
    /\ acked' = acked \cup job[w].acks
    /\ Become(w, Idle)
    /\ UNCHANGED <<database, line, noticed, done, passed, unswept>>

(* The process ends, or the connection goes away: an open transaction is rolled back; what was committed is not acknowledged. *)
Crash(w) ==
    /\ "crash" \in MayHappen /\ job[w].pc /= "idle"
    /\ line' = SelectSeq(line, LAMBDA m : m /= w /\ (job[w].pc = "inserted" => m \notin NewRows(w)))
    /\ Become(w, Idle)
    /\ UNCHANGED <<database, noticed, acked, done, passed, unswept>>

-----------------------------------------------------------------------------
(* Workers, an operator, and the gap monitor. *)

(* A worker settles a due entry: effect, position and the next of the key in one transaction. *)
Work(m) ==
    LET old == Guarded /\ OldIsSkipped /\ position /= Unset /\ m <= position
        reached == IF Guarded THEN Highest(position, m) ELSE position
        rows == MoveUp([entry EXCEPT ![m] = "none"], reached)
    IN /\ entry[m] \in Due /\ KeyFree
       /\ entry' = rows /\ position' = reached /\ gap' = IsGap(rows, reached)
       /\ done' = IF old THEN done ELSE Append(done, m)
       /\ UNCHANGED <<ledger, bodies, line, job, noticed, acked, passed, unswept>>

(* Another transaction holds the key, and the worker does not wait for it: effect and position commit, and the next message waits
   until the sweep finds it. *)
WorkWithoutKey(m) ==
    LET old == Guarded /\ OldIsSkipped /\ position /= Unset /\ m <= position
    IN /\ "slow" \in MayHappen /\ entry[m] \in Due /\ ~KeyFree
       /\ entry' = [entry EXCEPT ![m] = "none"]
       /\ position' = IF Guarded THEN Highest(position, m) ELSE position
       /\ done' = IF old THEN done ELSE Append(done, m)
       /\ unswept' = TRUE
       /\ UNCHANGED <<ledger, bodies, gap, line, job, noticed, acked, passed>>

(* Any node does it. *)
Sweep(w) ==
    /\ unswept /\ job[w].pc = "idle" /\ KeyFree
    /\ entry' = MoveUp(entry, position) /\ gap' = IsGap(entry', position)
    /\ unswept' = FALSE
    /\ UNCHANGED <<ledger, bodies, position, line, job, noticed, acked, done, passed>>

(* A failure holds its key as it is, so it needs no lock of the key. *)
Fail(m, state) ==
    /\ "fail" \in MayHappen /\ entry[m] \in Due
    /\ entry' = [entry EXCEPT ![m] = state]
    /\ UNCHANGED <<ledger, bodies, position, gap, line, job, noticed, acked, done, passed, unswept>>

Redrive(m) ==
    /\ "redrive" \in MayHappen /\ entry[m] = "PARKED" /\ KeyFree
    /\ Guarded => m > position
    /\ entry' = MoveUp([entry EXCEPT ![m] = "WAITING"], position)
    /\ gap' = IsGap(entry', position)
    /\ UNCHANGED <<ledger, bodies, position, line, job, noticed, acked, done, passed, unswept>>

(* What waits is parked, or what is missing is given up. *)
CloseGap(reached, m) ==
    LET rows == IF OnGap = "park" THEN [entry EXCEPT ![m] = "PARKED"] ELSE entry
        missing == {n \in Messages : n > reached /\ n < m}
        to == IF OnGap = "park" THEN position ELSE Highest(position, m - 1)
    IN /\ position' = to
       /\ entry' = MoveUp(rows, to)
       /\ gap' = IsGap(entry', to)
       /\ passed' = IF OnGap = "skip" /\ position = reached /\ IsGap(entry, position) THEN passed \cup missing ELSE passed
       /\ UNCHANGED <<ledger, bodies, line, job, acked, done, unswept>>

FirstWaiting(m) == gap /\ IsGap(entry, position) /\ m = Lowest(In(entry, {"WAITING"}))

TimeOut(m) ==
    /\ GapSameStill /\ OnGap /= "none" /\ KeyFree /\ FirstWaiting(m)
    /\ CloseGap(position, m)
    /\ UNCHANGED <<noticed, unswept>>

(* Without GapSameStill: read first, act later on what was read. *)
NoticeGap(m) ==
    /\ ~GapSameStill /\ noticed = {} /\ FirstWaiting(m)
    /\ noticed' = {<<position, m>>}
    /\ UNCHANGED <<database, line, job, acked, done, passed, unswept>>

CloseNoticed(g) ==
    /\ g \in noticed /\ KeyFree /\ noticed' = {}
    /\ OnGap = "park" => entry[g[2]] = "WAITING"
    /\ CloseGap(g[1], g[2])

-----------------------------------------------------------------------------

Step(w) ==
    \/ \E call \in Calls : Lock(w, call) \/ Draw(w, call)
    \/ \E busy \in SUBSET Messages : Insert(w, busy)
    \/ Commit(w) \/ FailOne(w) \/ ExcuseAll(w) \/ Acknowledge(w) \/ Crash(w)

Next ==
    \/ \E w \in Nodes : Step(w) \/ Sweep(w)
    \/ \E m \in Messages : Work(m) \/ WorkWithoutKey(m) \/ Redrive(m) \/ TimeOut(m) \/ NoticeGap(m)
    \/ \E m \in Messages, state \in {"RETRY", "PARKED"} : Fail(m, state)
    \/ \E g \in noticed : CloseNoticed(g)

Spec == Init /\ [][Next]_vars

Alike == Permutations(Nodes)

-----------------------------------------------------------------------------
(* What has to be true. *)

AtMostOneEffect == Distinct(done)

OrderPerKey ==
    /\ \A i, j \in 1..Len(done) : i < j => done[i] <= done[j]
    /\ \A i \in 1..Len(done) : \A m \in Messages : m < done[i] => m \in passed \/ \E j \in 1..(i - 1) : done[j] = m

(* A message that is skipped was passed by its key: the sequence began behind it, or it was missing when its gap was given up. *)
NothingLost == \A m \in acked : Among(m, done) \/ entry[m] /= "none" \/ m \in passed

AbsenceMeansDone == \A m \in ledger : entry[m] = "none" => Among(m, done) \/ m \in passed

EntryHasRow == \A m \in Messages : entry[m] /= "none" => m \in ledger /\ m \in bodies

BodyHasRow == bodies \subseteq ledger

(* The arrival number decides which message is next, and a replay uses it. *)
NumbersInOrder ==
    ~Guarded => \A m, n \in ledger : m < n => At(m, line) < At(n, line)

OneAtATime == Cardinality(In(entry, Due)) <= 1

WaitsForAReason ==
    In(entry, {"WAITING"}) /= {} => In(entry, Due \cup {"PARKED"}) /= {} \/ IsGap(entry, position) \/ unswept

GapIsTimed == IsGap(entry, position) => gap \/ unswept

GapTimeHasAMessage == gap => In(entry, {"WAITING"}) /= {} \/ unswept

-----------------------------------------------------------------------------
(* States that have to be reached, written as promises that have to be broken. *)

NeverAllDone == Len(done) < Cardinality(Messages)
NeverSkipped == ~\E m \in acked : entry[m] = "none" /\ ~Among(m, done)
NeverHeld == ~\E w \in Nodes : job[w].pc = "inserted" /\ Len(job[w].found) = 2 /\ job[w].found = <<"busy", "new">>
NeverGapFilled == ~(gap /\ 1 \in In(entry, Due) /\ In(entry, {"WAITING"}) /= {})
NeverUnswept == ~(unswept /\ In(entry, {"WAITING"}) /= {} /\ In(entry, Due) = {})
NeverTwice == ~\E u, w \in Nodes : u /= w /\ Len(job[w].call) = 2 /\ job[u].pc = "ack" /\ job[w].pc = "locked"
                                   /\ job[w].call[1] \in job[u].acks

-----------------------------------------------------------------------------
(* In the end every message is done or was passed, if the broker goes on delivering, workers go on and an operator redrives. *)

Alone(w, m) == job[w].call = <<m>>

Fair ==
    /\ \A m \in Messages :
          /\ SF_vars(m \notin acked /\ \E w \in Nodes : Lock(w, <<m>>))
          /\ SF_vars(\E w \in Nodes : Alone(w, m) /\ Insert(w, {}))
          /\ SF_vars(\E w \in Nodes : Alone(w, m) /\ job[w].found /= <<"busy">> /\ Commit(w))
          /\ SF_vars(\E w \in Nodes : m \in job[w].acks /\ Acknowledge(w))
          /\ SF_vars(Work(m))
          /\ SF_vars(Redrive(m))
    /\ WF_vars(\E w \in Nodes : Insert(w, {}) \/ Commit(w) \/ Acknowledge(w))
    /\ WF_vars(\E m \in Messages : TimeOut(m))
    /\ SF_vars(\E w \in Nodes : Sweep(w))

FairSpec == Spec /\ Fair

EverythingIsDoneOnce == \A m \in Messages : <>[](m \in acked /\ entry[m] = "none" /\ (Among(m, done) \/ m \in passed))
=============================================================================
