\* SPDX-License-Identifier: Apache-2.0
------------------------------ MODULE Mistakes ------------------------------
(***************************************************************************)
(* Steps that the inbox does not have: halves of what has to be one step.  *)
(* They are possible only when their rule is switched off. Then all steps  *)
(* together.                                                               *)
(***************************************************************************)
EXTENDS ClaimFirst

(* Without the gate: look first, write later. *)
LookForDue(w) ==
    /\ ~Gate /\ job[w].pc = "idle"
    /\ \E es \in Choices : Become(w, [Idle EXCEPT !.pc = "looked", !.es = es])
    /\ UNCHANGED <<database, orphans, reaping, broker, order, history>>

ClaimWhatWasSeen(w) ==
    /\ job[w].pc = "looked" /\ FreeTokens /= {}
    /\ leases' = leases \cup {[t |-> NewToken, es |-> job[w].es]}
    /\ Become(w, [job[w] EXCEPT !.pc = "held", !.t = NewToken])
    /\ UNCHANGED <<ledger, entries, bodies, orphans, reaping, broker, order, history>>

(* In two steps: look first, write back later what was seen. *)
LookForExpired(l) ==
    /\ "reap" \in MayHappen /\ ~OneStepReaper
    /\ reaping = {} /\ l \in leases /\ ~LeaseLocked(l.t)
    /\ reaping' = {l}
    /\ UNCHANGED <<database, job, orphans, broker, order, history>>

ReapWhatWasSeen(l) ==
    /\ l \in reaping /\ l.t /= 0 /\ ~LeaseLocked(l.t)
    /\ reaping' = {}
    /\ leases' = {k \in leases : k.t /= l.t}
    /\ entries' = {x \in entries : x[1] \notin l.es} \cup {<<e, "RETRY">> : e \in l.es}
    /\ UNCHANGED <<ledger, bodies, job, orphans, broker, order, history>>

(* What a purge looks at and what it deletes, when a restored or replayed message may slip in between. Token 0 is nobody's. *)
LookForOld(m) ==
    /\ ~PurgeIsSeen /\ Purgeable(m) /\ reaping = {}
    /\ reaping' = {[t |-> 0, es |-> {Original(ledger, m)}]}
    /\ UNCHANGED <<database, job, orphans, broker, order, history>>

PurgeWhatWasSeen(l) ==
    /\ l \in reaping /\ l.t = 0
    /\ reaping' = {}
    /\ LET m == (CHOOSE e \in l.es : TRUE)[1]
       IN /\ ledger' = [ledger EXCEPT ![m] = "none"]
          /\ entries' = {x \in entries : x[1][1] /= m \/ x[2] /= "DISCARDED"}
          /\ bodies' = {b \in bodies : b[1] /= m}
          /\ Leave(m)
          /\ resting' = {e \in resting : e[1] /= m}
          /\ purged' = purged \cup {m}
    /\ UNCHANGED <<leases, job, orphans, broker, effects, done, skipped, strayed>>

(* Second halves of transactions that should have been one. *)
MarkLater(w) ==
    /\ job[w].pc = "marking"
    /\ ledger' = [ledger EXCEPT ![job[w].e[1]] = job[w].e[3]]
    /\ Become(w, [job[w] EXCEPT !.pc = "ack"])
    /\ UNCHANGED <<entries, bodies, leases, orphans, reaping, broker, order, history>>

BearLater(w) ==
    /\ job[w].pc = "bearing"
    /\ entries' = entries \cup {<<job[w].e, IF job[w].wait THEN "WAITING" ELSE "RECEIVED">>}
    /\ Become(w, [job[w] EXCEPT !.pc = "ack"])
    /\ UNCHANGED <<ledger, bodies, leases, orphans, reaping, broker, order, history>>

LeaseLater(w) ==
    /\ job[w].pc = "leasing" /\ FreeTokens /= {}
    /\ leases' = leases \cup {[t |-> NewToken, es |-> {job[w].e}]}
    /\ Become(w, [job[w] EXCEPT !.pc = "claimed", !.t = NewToken])
    /\ UNCHANGED <<ledger, entries, bodies, orphans, reaping, broker, order, history>>

-----------------------------------------------------------------------------

AllWays == {"ok", "store", "adopt", "bad", "end"}

Step(w) ==
    \/ \E s \in Sent : Record(w, s[1], s[2])
    \/ Answer(w) \/ Take(w) \/ Birth(w) \/ Acknowledge(w) \/ Crash(w) \/ LoseConnection(w)
    \/ \E way \in AllWays : Commit(w, way) \/ LoseCommit(w, way)
    \/ Claim(w) \/ LookForDue(w) \/ ClaimWhatWasSeen(w) \/ Release(w)
    \/ \E e \in job[w].es, way \in AllWays : Settle(w, e, way) \/ LoseSettle(w, e, way)
    \/ MarkLater(w) \/ BearLater(w)
    \/ Hold(w) \/ ReleaseClaimed(w) \/ LeaseLater(w)
    \/ \E way \in AllWays : SettleClaimed(w, way) \/ LoseClaimed(w, way)

Next ==
    \/ \E w \in Workers : Step(w)
    \/ \E x \in orphans : OrphanCommits(x) \/ OrphanAborts(x)
    \/ \E l \in leases : LookForExpired(l) \/ \E state \in {"RETRY", "PARKED"} : Reap(l, state)
    \/ \E l \in reaping : ReapWhatWasSeen(l) \/ PurgeWhatWasSeen(l)
    \/ \E e \in Ids : Discard(e) \/ Restore(e) \/ Redrive(e) \/ SetAside(e)
    \/ \E m \in Messages : Replay(m) \/ Forget(m) \/ Purge(m) \/ LookForOld(m)

Spec == Init /\ [][Next]_vars

(* Workers are all alike, so their names do not matter. *)
Alike == Permutations(Workers)
=============================================================================
