\* SPDX-License-Identifier: Apache-2.0
------------------------------ MODULE Promises ------------------------------
(***************************************************************************)
(* What has to be true of the inbox in every state, whatever order its     *)
(* steps come in; and that everything is done in the end.                  *)
(***************************************************************************)
EXTENDS Mistakes

AtMostOneEffect == \A e \in Ids : effects[e] <= 1

CompletedImpliesEffect ==
    \A m \in Messages : ledger[m] /= "none" /\ StatesOf(Original(ledger, m)) = {} => effects[Original(ledger, m)] > 0

NoEffectWithoutMark ==
    \A e \in Ids : effects[e] > 0 =>
        \/ e[1] \in purged
        \/ e[2] = 1 /\ ledger[e[1]] /= "none"
        \/ e[2] = 0 /\ (ledger[e[1]] = e[3] \/ <<e[1], e[3]>> \in bodies)

(* What the broker may forget is done, kept by the inbox, or was discarded by somebody. An entry that waits for a redelivery
   is not kept: nobody would come for it. *)
NothingLost ==
    \A s \in acked : LET e == <<s[1], 0, s[2]>>
                     IN effects[e] > 0 \/ e \in skipped \/ Is(e, {"RECEIVED", "WAITING", "RETRY", "PARKED", "DISCARDED"})

(* An entry leaves when it is settled, or together with its mark. *)
EntryHasMark == \A x \in entries : x[2] \in Live => ledger[x[1][1]] /= "none"

OneEntry == \A x, y \in entries : x[1] = y[1] => x = y

(* One worker at a time has the right to an entry. *)
OneClaim ==
    /\ \A k, l \in leases : k /= l => k.es \cap l.es = {}
    /\ \A u, w \in Workers : u /= w /\ job[u].pc = "run" /\ job[w].pc = "run" /\ job[u].tx = "take" /\ job[w].tx = "take"
          => job[u].e /= job[w].e

OnlyTheHolderSettles == ~strayed

DiscardedRests == \A e \in resting : StatesOf(e) \subseteq {"DISCARDED"}

(* Who was recorded before comes first, save those that somebody skipped. Two that are recorded at the same time have no order,
   but one at a time they come all the same. *)
At(m, some) == CHOOSE i \in 1..Len(some) : some[i] = m
OrderPerKey ==
    \A b \in before : Among(b[2], done) =>
        \/ Original(ledger, b[1]) \in skipped
        \/ Among(b[1], done) /\ At(b[1], done) < At(b[2], done)

(* Of a key, one message at a time is due, worked on under a lease, or run by a delivery. *)
RunByDelivery ==
    {x.e[1] : x \in {y \in Open : ~y.wait /\ (y.tx = "take" \/ (y.tx = "mark" /\ Mode = "direct"))}}
OneAtATime == Ordered => Cardinality(In(entries, ledger, Active) \cup RunByDelivery) <= 1

NobodyWaitsForNothing ==
    In(entries, ledger, {"WAITING"}) /= {} =>
        In(entries, ledger, IF Ordering = "skip" THEN Active ELSE Active \cup {"PARKED"}) /= {}

(* A delivery that is claimed first is under its lease until it is settled: other deliveries are BUSY meanwhile, and workers
   leave it alone. *)
ClaimedIsLeased == \A e \in Ids : Is(e, {"CLAIMED"}) => e \in Leased

-----------------------------------------------------------------------------
(* Places that have to be reached, said as promises that have to be broken: a model in which nothing happens keeps all others. *)

NeverDoneInOrder == Len(done) < 2
NeverWaited == ~\E m \in Messages : Is(<<m, 0, "a">>, {"WAITING"})
NeverBothPayloads == ~\E m \in Conflicting : effects[<<m, 0, "a">>] = 1 /\ effects[<<m, 0, "b">>] = 1
NeverReplayed == ~\E e \in Ids : e[2] = 1 /\ effects[e] = 1
NeverPurged == purged = {}
NeverClaimedTwice ==
    ~\E u, w \in Workers : u /= w /\ job[u].pc = "claimed" /\ job[w].pc = "claimed" /\ job[u].e = job[w].e
NeverLateCommit == ~\E x \in orphans : x.tx = "settle" /\ \A w \in Workers : job[w].pc = "idle"

-----------------------------------------------------------------------------
(* In the end everything is done, whatever happened before, if the broker goes on delivering and workers go on working. *)

Fair ==
    /\ \A s \in Sent : SF_vars(s \notin acked /\ \E w \in Workers : Record(w, s[1], s[2]))
    /\ SF_vars(\E w \in Workers : Answer(w))
    /\ SF_vars(\E w \in Workers : Take(w))
    /\ SF_vars(\E w \in Workers : Commit(w, "ok") \/ Commit(w, "store"))
    /\ SF_vars(\E w \in Workers : Acknowledge(w))
    /\ SF_vars(\E w \in Workers : Claim(w))
    /\ SF_vars(\E w \in Workers : \E e \in job[w].es : Possible(Settling(w, e), "ok") /\ Settle(w, e, "ok"))
    /\ WF_vars(\E w \in Workers : Release(w) /\ \A l \in leases : l.t /= job[w].t)
    /\ SF_vars(\E w \in Workers : SettleClaimed(w, "ok"))
    /\ WF_vars(\E w \in Workers : ReleaseClaimed(w) /\ ~Holds(job[w].t, job[w].e))
    /\ WF_vars(\E x \in orphans : OrphanAborts(x))
    /\ WF_vars(\E w \in Workers : job[w].pc = "gone" /\ Crash(w))
    /\ SF_vars(\E l \in leases : Reap(l, "RETRY"))
    /\ SF_vars(\E e \in Ids : Redrive(e))

FairSpec == Spec /\ Fair

EverythingIsDoneOnce == \A m \in Messages : <>[](effects[<<m, 0, "a">>] = 1 /\ <<m, "a">> \in acked)
=============================================================================
