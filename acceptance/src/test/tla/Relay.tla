\* SPDX-License-Identifier: Apache-2.0
------------------------------- MODULE Relay -------------------------------
(***************************************************************************)
(* What becomes of an outgoing message: written by a transaction, published *)
(* by one of several relays, confirmed by a broker, marked as sent.        *)
(*                                                                         *)
(* As in Inbox.tla one step is one committed transaction, or the statement *)
(* that takes a lock which is kept until the commit; there is no clock and *)
(* nothing is counted. A lease may run out at any moment, and whoever had  *)
(* it goes on all the same until it finds out: a relay that was paused is  *)
(* one whose next step comes late.                                         *)
(*                                                                         *)
(* A message of the model is its arrival number: of a key, 1 took its      *)
(* number before 2. One that is rolled back never had one.                 *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    Relays,        \* all alike, no leader
    Messages,      \* 1..n
    Keys,          \* how many keys they have
    Ordering,      \* "hold": a parked one holds its key; "skip": it lets others pass
    Batch,         \* how many keys one lease may be for
    Followers,     \* how many messages behind the first of a key one relay may publish, one after another
    MayHappen      \* what may go wrong, and what an operator may do

CONSTANTS
    AfterCommit,       \* nothing is published by the transaction that writes it
    NumberUnderLock,   \* the arrival number is taken when the row of the key is locked
    KeyLock,           \* who writes, settles or moves a message holds the row of its key
    StatusScan,        \* what is due is found by its state, not because its number is higher than the last one
    FirstOfKeyOnly,    \* only the first of a key is claimed, and others only with it
    NothingBetween,    \* a follower has nobody in front of it but those that this relay publishes before it
    FollowersLeased,   \* followers are under the lease too, and got there by the claim
    FollowersFree,     \* and under nobody else's
    FollowConfirmed,   \* a follower is published when the one in front is confirmed
    SameId,            \* a message has the same id each time
    ConfirmFirst,      \* a message is marked when it is confirmed
    EachConfirmed,     \* a message is confirmed by what the broker says about this message
    Fence,             \* who marks has to find the row of the lease
    HeadBlocks,        \* a message that failed or is parked holds its key
    ReapSparesWaiting  \* the reaper makes nobody due that waits

VARIABLES
    tx,        \* of each message: none, numbered (no lock yet), first or behind (its key is locked), in (committed)
    entry,     \* of each message: its state, none when there is no row
    leases,    \* rows [t |-> token, es |-> messages]
    job,       \* what each relay is at, as far as it knows
    log,       \* of each key: what the broker has, <<message, id>>, each where it came first
    wire,      \* requests that nobody waits for any more, and that may still arrive
    before,    \* <<m, n>>: m was committed before n, and they have one key
    skipped,   \* messages that somebody discarded, or that were parked where that lets others pass
    passed,    \* messages behind the highest number that was ever marked; asked for without StatusScan only
    strayed,   \* whether somebody marked under a lease that was gone
    meddled    \* whether somebody who has the lease published what is parked, discarded or done

database == <<tx, entry, leases>>
broker == <<log, wire>>
history == <<before, skipped, passed, strayed, meddled>>
vars == <<database, job, broker, history>>

Tokens == 1..(Cardinality(Relays) + Cardinality(Messages) + 1)
Idle == [t |-> 0, es |-> {}, fly |-> {}, sure |-> {}, bad |-> {}, refused |-> {}]
KeyOf(m) == ((m - 1) % Keys) + 1
OfKey(k) == {m \in Messages : KeyOf(m) = k}
KeysOf(ms) == {KeyOf(m) : m \in ms}

Init ==
    /\ tx = [m \in Messages |-> "none"]
    /\ entry = [m \in Messages |-> "none"]
    /\ leases = {}
    /\ job = [r \in Relays |-> Idle]
    /\ log = [k \in 1..Keys |-> <<>>] /\ wire = {}
    /\ before = {} /\ skipped = {} /\ passed = {} /\ strayed = FALSE /\ meddled = FALSE

-----------------------------------------------------------------------------
(* Entries, as in Inbox.tla. *)

Due == {"RECEIVED", "RETRY"}
Blocking == (IF HeadBlocks THEN Due ELSE {"RECEIVED"}) \cup {"WAITING"}
            \cup (IF Ordering = "hold" /\ HeadBlocks THEN {"PARKED"} ELSE {})
InKey(rows, k, states) == {m \in OfKey(k) : rows[m] \in states}
Lowest(ms) == CHOOSE m \in ms : \A n \in ms : m <= n

(* The first unfinished one of each of these keys, if it waits and nobody is at work. *)
MoveUp(rows, keys) ==
    [m \in Messages |->
        IF /\ KeyOf(m) \in keys /\ rows[m] = "WAITING"
           /\ InKey(rows, KeyOf(m), IF HeadBlocks THEN Due ELSE {"RECEIVED"}) = {}
           /\ Lowest(InKey(rows, KeyOf(m), Blocking)) = m
        THEN "RECEIVED" ELSE rows[m]]

Leased == UNION {l.es : l \in leases}
HasLease(t) == \E l \in leases : l.t = t
KeyFree(k) == ~KeyLock \/ \A m \in OfKey(k) : tx[m] \notin {"first", "behind"}
AllFree(ms) == \A k \in KeysOf(ms) : KeyFree(k)
Become(r, next) == job' = [job EXCEPT ![r] = next]

FreeTokens == {t \in Tokens : (\A l \in leases : l.t /= t) /\ (\A r \in Relays : job[r].t /= t)}
NewToken == Lowest(FreeTokens)

-----------------------------------------------------------------------------
(* Whoever sends: at the end of a transaction of its own. A commit without an answer is one that comes late, or an abort. *)

(* Messages are named by their numbers. Those of other keys are compared by nobody but a relay that asks for higher ones. *)
MayTakeNumber(m) == \A n \in 1..(m - 1) : KeyOf(n) = KeyOf(m) \/ ~StatusScan => tx[n] /= "none"

TakeNumber(m) ==
    /\ ~NumberUnderLock /\ tx[m] = "none" /\ MayTakeNumber(m)
    /\ tx' = [tx EXCEPT ![m] = "numbered"]
    /\ UNCHANGED <<entry, leases, job, broker, history>>

(* The row of the key, who is in front, the arrival number. *)
Send(m) ==
    /\ IF NumberUnderLock THEN tx[m] = "none" /\ MayTakeNumber(m) ELSE tx[m] = "numbered"
    /\ KeyFree(KeyOf(m))
    /\ tx' = [tx EXCEPT ![m] = IF InKey(entry, KeyOf(m), Blocking) = {} THEN "first" ELSE "behind"]
    /\ UNCHANGED <<entry, leases, job, broker, history>>

Commit(m) ==
    /\ tx[m] \in {"first", "behind"}
    /\ tx' = [tx EXCEPT ![m] = "in"]
    /\ entry' = [entry EXCEPT ![m] = IF tx[m] = "first" THEN "RECEIVED" ELSE "WAITING"]
    /\ before' = before \cup {<<n, m>> : n \in {k \in OfKey(KeyOf(m)) : tx[k] = "in"}}
    /\ UNCHANGED <<leases, job, broker, skipped, passed, strayed, meddled>>

(* Rolled back, and sent again perhaps: with another number, so it is the next one again. *)
Abort(m) ==
    /\ tx[m] \in {"first", "behind"} /\ \A n \in Messages : n > m /\ KeyOf(n) = KeyOf(m) => tx[n] = "none"
    /\ tx' = [tx EXCEPT ![m] = "none"]
    /\ UNCHANGED <<entry, leases, job, broker, history>>

-----------------------------------------------------------------------------
(* Claims, behind the gate. *)

Found == {m \in Messages : /\ m \notin Leased
                           /\ entry[m] \in Due \/ (~FirstOfKeyOnly /\ entry[m] = "WAITING")
                           /\ StatusScan \/ m \notin passed}

(* Who may be published after those that this relay has: it waits, and nobody else is in front of it. *)
MayFollow(m, mine) ==
    /\ entry[m] = "WAITING" /\ (FollowersFree => m \notin Leased) /\ \E n \in mine : n < m /\ KeyOf(n) = KeyOf(m)
    /\ LET front == {n \in OfKey(KeyOf(m)) : n < m /\ n \notin mine}
       IN IF NothingBetween THEN \A n \in front : entry[n] \notin Blocking
          ELSE \A n \in front : entry[n] /= "WAITING"

RECURSIVE Behind(_, _)
Behind(mine, n) ==
    LET next == {m \in Messages : MayFollow(m, mine)}
    IN IF n = 0 \/ next = {} THEN mine ELSE Behind(mine \cup {Lowest({m \in next : KeyOf(m) = k}) : k \in KeysOf(next)}, n - 1)

Claim(r) ==
    /\ job[r].t = 0 /\ FreeTokens /= {}
    /\ \E heads \in SUBSET Found :
          /\ heads /= {} /\ Cardinality(heads) <= Batch
          /\ FirstOfKeyOnly => \A m, n \in heads : KeyOf(m) = KeyOf(n) => m = n
          /\ LET es == IF FollowersLeased THEN Behind(heads, Followers) ELSE heads
             IN /\ leases' = leases \cup {[t |-> NewToken, es |-> es]}
                /\ Become(r, [Idle EXCEPT !.t = NewToken, !.es = es])
    /\ UNCHANGED <<tx, entry, broker, history>>

-----------------------------------------------------------------------------
(* Publishing, outside any transaction. Nobody asks whether the lease is still there: that would only be a guess. *)

Flying(r) == {f[1] : f \in job[r].fly}
Said(r) == job[r].sure \cup job[r].bad \cup job[r].refused

Publish(r, m) ==
    LET x == job[r]
        front == {n \in x.es : n < m /\ KeyOf(n) = KeyOf(m)} \* those that are settled already were confirmed
        id == IF SameId \/ \A i \in 1..Len(log[KeyOf(m)]) : log[KeyOf(m)][i][1] /= m THEN 0 ELSE 1
    IN /\ m \in x.es \ (Flying(r) \cup Said(r))
       /\ IF FollowConfirmed THEN front \subseteq x.sure ELSE front \subseteq Flying(r) \cup Said(r)
       /\ Become(r, [x EXCEPT !.fly = @ \cup {<<m, id, "sent">>}])
       /\ meddled' = (meddled \/ (HasLease(x.t) /\ entry[m] \notin Due \cup {"WAITING"}))
       /\ UNCHANGED <<database, broker, before, skipped, passed, strayed>>

Added(m, id) == LET there == log[KeyOf(m)]
                IN IF \E i \in 1..Len(there) : there[i] = <<m, id>> THEN log
                   ELSE [log EXCEPT ![KeyOf(m)] = Append(there, <<m, id>>)]

(* The broker has it, and its confirmation is on the way. *)
Arrive(r, f) ==
    /\ f \in job[r].fly /\ f[3] = "sent"
    /\ log' = Added(f[1], f[2])
    /\ Become(r, [job[r] EXCEPT !.fly = (@ \ {f}) \cup {<<f[1], f[2], "there">>}])
    /\ UNCHANGED <<database, wire, history>>

Confirm(r, f) ==
    /\ f \in job[r].fly /\ f[3] = "there"
    /\ Become(r, [job[r] EXCEPT !.fly = @ \ {f}, !.sure = @ \cup {f[1]}])
    /\ UNCHANGED <<database, broker, history>>

Adrift(fs) == IF "late" \in MayHappen THEN {<<f[1], f[2]>> : f \in {g \in fs : g[3] = "sent"}} ELSE {}

(* No confirmation: it may be there, be on its way, or be gone. *)
Miss(r, f) ==
    /\ "fail" \in MayHappen /\ f \in job[r].fly
    /\ Become(r, IF EachConfirmed THEN [job[r] EXCEPT !.fly = @ \ {f}, !.bad = @ \cup {f[1]}]
                 ELSE [job[r] EXCEPT !.fly = @ \ {f}, !.sure = @ \cup {f[1]}])
    /\ wire' = wire \cup Adrift({f})
    /\ UNCHANGED <<database, log, history>>

(* The broker will not take it: too large, or nobody is there to take it. It may change its mind when it is asked again. *)
Refuse(r, f) ==
    /\ "refuse" \in MayHappen /\ f \in job[r].fly /\ f[3] = "sent"
    /\ Become(r, [job[r] EXCEPT !.fly = @ \ {f}, !.refused = @ \cup {f[1]}])
    /\ UNCHANGED <<database, broker, history>>

ArriveLate(w) ==
    /\ w \in wire
    /\ wire' = wire \ {w}
    /\ log' = Added(w[1], w[2])
    /\ UNCHANGED <<database, job, history>>

-----------------------------------------------------------------------------
(* Marking what was heard, behind the fence and the rows of the keys. *)

Heard(r) == IF ConfirmFirst THEN job[r].sure ELSE job[r].sure \cup Flying(r)

(* What is not under way and was not tried goes on under the rest of the lease, unless its key has to stand still. *)
Rest(r) == {m \in job[r].es \ (Heard(r) \cup job[r].bad \cup job[r].refused) :
              \A n \in job[r].bad \cup job[r].refused : KeyOf(n) /= KeyOf(m)}

Possible(r) ==
    /\ Fence => HasLease(job[r].t)
    /\ \A m \in Heard(r) \cup job[r].bad \cup job[r].refused : entry[m] \in Due \cup {"WAITING"}

Mark(r) ==
    LET x == job[r]
        rows == [m \in Messages |-> CASE m \in Heard(r) -> "none"
                                      [] m \in x.bad -> "RETRY"
                                      [] m \in x.refused -> "PARKED"
                                      [] OTHER -> entry[m]]
    IN /\ entry' = MoveUp(rows, KeysOf(x.es))
       /\ leases' = {l \in leases : l.t /= x.t}
                    \cup {[l EXCEPT !.es = Rest(r)] : l \in {k \in leases : k.t = x.t /\ Rest(r) /= {}}}
       /\ skipped' = IF Ordering = "skip" THEN skipped \cup x.refused ELSE skipped
       /\ passed' = IF StatusScan THEN passed ELSE passed \cup {n \in Messages : \E m \in Heard(r) : n <= m}
       /\ strayed' = (strayed \/ ~HasLease(x.t))
       /\ UNCHANGED <<tx, before, meddled>>

Settling(r) == /\ job[r].t /= 0 /\ Heard(r) \cup job[r].bad \cup job[r].refused /= {}
               /\ ConfirmFirst => job[r].fly = {}
               /\ AllFree(job[r].es)

Settle(r) ==
    /\ Settling(r)
    /\ IF Possible(r)
       THEN Mark(r) /\ Become(r, IF Rest(r) = {} THEN Idle ELSE [Idle EXCEPT !.t = job[r].t, !.es = Rest(r)])
       ELSE Become(r, Idle) /\ UNCHANGED <<database, history>>
    /\ UNCHANGED broker

(* The commit gets no answer, and came through. The relay has its lease still, as far as it knows, and goes on. *)
LoseSettle(r) ==
    /\ "lost" \in MayHappen /\ Settling(r) /\ Possible(r)
    /\ Mark(r)
    /\ UNCHANGED <<job, broker>>

Release(r) ==
    /\ job[r].t /= 0 /\ job[r].fly = {}
    /\ leases' = {l \in leases : l.t /= job[r].t}
    /\ Become(r, Idle)
    /\ UNCHANGED <<tx, entry, broker, history>>

Crash(r) ==
    /\ "crash" \in MayHappen /\ job[r].t /= 0
    /\ wire' = wire \cup Adrift(job[r].fly)
    /\ Become(r, Idle)
    /\ UNCHANGED <<database, log, history>>

(* A lease is over, whatever the clock says, and whatever its holder is at. *)
Reap(l, state) ==
    /\ "reap" \in MayHappen /\ l \in leases
    /\ state = "PARKED" => "refuse" \in MayHappen /\ AllFree(l.es)
    /\ LET late == {m \in l.es : entry[m] \in Due \/ (~ReapSparesWaiting /\ entry[m] = "WAITING")}
           rows == [m \in Messages |-> IF m \in late THEN state ELSE entry[m]]
       IN /\ entry' = IF state = "PARKED" THEN MoveUp(rows, KeysOf(l.es)) ELSE rows
          /\ skipped' = IF state = "PARKED" /\ Ordering = "skip" THEN skipped \cup late ELSE skipped
    /\ leases' = leases \ {l}
    /\ UNCHANGED <<tx, job, broker, before, passed, strayed, meddled>>

-----------------------------------------------------------------------------
(* What an operator does: what is under a lease is left alone. *)

AtRest(m) == m \notin Leased /\ KeyFree(KeyOf(m))

Discard(m) ==
    /\ "discard" \in MayHappen /\ entry[m] \in Due \cup {"WAITING", "PARKED"} /\ AtRest(m)
    /\ entry' = MoveUp([entry EXCEPT ![m] = "DISCARDED"], {KeyOf(m)})
    /\ skipped' = skipped \cup {m}
    /\ UNCHANGED <<tx, leases, job, broker, before, passed, strayed, meddled>>

Restore(m) ==
    /\ entry[m] = "DISCARDED" /\ AtRest(m)
    /\ entry' = [entry EXCEPT ![m] = "PARKED"]
    /\ UNCHANGED <<tx, leases, job, broker, history>>

SetAside(m) ==
    /\ "park" \in MayHappen /\ entry[m] \in Due \cup {"WAITING"} /\ AtRest(m)
    /\ LET rows == [entry EXCEPT ![m] = "PARKED"]
       IN entry' = IF Ordering = "skip" THEN MoveUp(rows, {KeyOf(m)}) ELSE rows
    /\ skipped' = IF Ordering = "skip" THEN skipped \cup {m} ELSE skipped
    /\ UNCHANGED <<tx, leases, job, broker, before, passed, strayed, meddled>>

Redrive(m) ==
    /\ "redrive" \in MayHappen /\ entry[m] \in {"PARKED", "RETRY"} /\ AtRest(m)
    /\ entry' = MoveUp([entry EXCEPT ![m] = "WAITING"], {KeyOf(m)})
    /\ UNCHANGED <<tx, leases, job, broker, history>>

-----------------------------------------------------------------------------
(* Steps that there are only when their rule is switched off. *)

(* By the transaction itself, to save a round. *)
PublishAtOnce(m) ==
    /\ ~AfterCommit /\ tx[m] \in {"first", "behind"}
    /\ log' = Added(m, 0)
    /\ UNCHANGED <<database, job, wire, history>>

(* Followers that are looked for when they are needed, and are under no lease. *)
FollowUnleased(r) ==
    /\ ~FollowersLeased /\ job[r].t /= 0
    /\ LET more == Behind(job[r].es, 1)
       IN /\ more /= job[r].es /\ Cardinality(more) <= Batch + Followers
          /\ Become(r, [job[r] EXCEPT !.es = more])
    /\ UNCHANGED <<database, broker, history>>

-----------------------------------------------------------------------------

Step(r) ==
    \/ Claim(r) \/ FollowUnleased(r) \/ Settle(r) \/ LoseSettle(r) \/ Release(r) \/ Crash(r)
    \/ \E m \in job[r].es : Publish(r, m)
    \/ \E f \in job[r].fly : Arrive(r, f) \/ Confirm(r, f) \/ Miss(r, f) \/ Refuse(r, f)

Next ==
    \/ \E r \in Relays : Step(r)
    \/ \E m \in Messages : TakeNumber(m) \/ Send(m) \/ Commit(m) \/ Abort(m) \/ PublishAtOnce(m)
    \/ \E m \in Messages : Discard(m) \/ Restore(m) \/ SetAside(m) \/ Redrive(m)
    \/ \E w \in wire : ArriveLate(w)
    \/ \E l \in leases, state \in {"RETRY", "PARKED"} : Reap(l, state)

Spec == Init /\ [][Next]_vars

Alike == Permutations(Relays)

-----------------------------------------------------------------------------
(* What has to be true. *)

There(m) == \E i \in 1..Len(log[KeyOf(m)]) : log[KeyOf(m)][i][1] = m
At(m) == CHOOSE i \in 1..Len(log[KeyOf(m)]) : log[KeyOf(m)][i][1] = m /\ \A j \in 1..(i - 1) : log[KeyOf(m)][j][1] /= m

NothingUncommitted == \A m \in Messages : There(m) => tx[m] = "in"

SentIsThere == \A m \in Messages : tx[m] = "in" /\ entry[m] = "none" => There(m)

(* Where each came first. A later copy has the same id, and whoever reads them through an inbox does not see it. *)
FirstInOrder == \A b \in before : There(b[2]) => b[1] \in skipped \/ (There(b[1]) /\ At(b[1]) < At(b[2]))

(* An inbox on the other side takes every id once: one id, one effect. *)
OneIdEach == \A k \in 1..Keys : \A i, j \in 1..Len(log[k]) : log[k][i][1] = log[k][j][1] => i = j

OnlyTheHolderMarks == ~strayed

OneLease == \A k, l \in leases : k /= l => k.es \cap l.es = {}

OneDueOfAKey == \A k \in 1..Keys : Cardinality(InKey(entry, k, Due)) <= 1

NobodyWaitsForNothing ==
    \A k \in 1..Keys : InKey(entry, k, {"WAITING"}) /= {} =>
        InKey(entry, k, IF Ordering = "hold" THEN Due \cup {"PARKED"} ELSE Due) /= {}

(* When nobody does anything and nothing is found, everything is there, save what people have to decide about. *)
Quiet == leases = {} /\ Found = {} /\ (\A r \in Relays : job[r] = Idle) /\ \A m \in Messages : tx[m] \in {"none", "in"}
NothingForgotten ==
    Quiet => \A m \in Messages : \/ tx[m] = "none" \/ There(m) \/ entry[m] \in {"PARKED", "DISCARDED"}
                                 \/ InKey(entry, KeyOf(m), {"PARKED"}) /= {}

LeftAloneIsLeftAlone == ~meddled

-----------------------------------------------------------------------------
(* Places that have to be reached, said as promises that have to be broken. *)

NeverAllSent == ~\A m \in Messages : tx[m] = "in" /\ entry[m] = "none"
NeverFollowed == ~\E r \in Relays : Cardinality(job[r].sure) = 2 /\ KeysOf(job[r].sure) = {1}
NeverLateCommit == ~(tx[1] \in {"first", "behind"} /\ \E m \in Messages : m > 1 /\ tx[m] = "in" /\ entry[m] = "none")
NeverOldNews == ~\E r \in Relays : \E f \in job[r].fly : entry[f[1]] = "none" /\ ~HasLease(job[r].t)

-----------------------------------------------------------------------------
(* In the end everything is sent, if the broker takes it and relays go on. *)

Holding(r) == HasLease(job[r].t)

Fair ==
    /\ WF_vars(\E m \in Messages : Send(m))
    /\ SF_vars(\E m \in Messages : Commit(m))
    /\ SF_vars(\E r \in Relays : Claim(r))
    /\ SF_vars(\E r \in Relays : Holding(r) /\ \E m \in job[r].es : Publish(r, m))
    /\ SF_vars(\E r \in Relays : Holding(r) /\ \E f \in job[r].fly : Arrive(r, f))
    /\ SF_vars(\E r \in Relays : Holding(r) /\ \E f \in job[r].fly : Confirm(r, f))
    /\ SF_vars(\E r \in Relays : Holding(r) /\ job[r].sure /= {} /\ Settle(r))
    /\ WF_vars(\E r \in Relays : ~Holding(r) /\ (Release(r) \/ \E f \in job[r].fly : Arrive(r, f) \/ Confirm(r, f)))
    /\ SF_vars(\E l \in leases : Reap(l, "RETRY"))

FairSpec == Spec /\ Fair

EverythingIsDoneOnce == \A m \in Messages : <>[](tx[m] = "in" /\ There(m) /\ entry[m] = "none")
=============================================================================
