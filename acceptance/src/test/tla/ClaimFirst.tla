\* SPDX-License-Identifier: Apache-2.0
----------------------------- MODULE ClaimFirst -----------------------------
(***************************************************************************)
(* A delivery that is claimed before it is handled: it is recorded and put *)
(* under a lease in one transaction, and handled in the next one, so that  *)
(* a crash of the process is counted. Only for messages that redelivery    *)
(* owns, so only where no order is kept: what the inbox owns is stored     *)
(* instead, and its workers do the same.                                   *)
(***************************************************************************)
EXTENDS Inbox

ClaimsFirst == "claim" \in MayHappen /\ Mode = "direct" /\ RetryBy = "redelivery"

(* The first transaction: a new ledger row, or an entry that failed before and was taken. *)
Hold(w) ==
    LET x == job[w]
        t == IF LeaseWithEntry THEN NewToken ELSE 0
    IN /\ ClaimsFirst /\ x.pc = "run" /\ x.tx \in {"mark", "take"} /\ FreeTokens /= {} /\ InPlace(x)
       /\ ledger' = IF x.tx = "mark" THEN [ledger EXCEPT ![x.e[1]] = x.e[3]] ELSE ledger
       /\ entries' = Put(entries, x.e, "CLAIMED")
       /\ leases' = IF LeaseWithEntry THEN leases \cup {[t |-> t, es |-> {x.e}]} ELSE leases
       /\ Become(w, [Idle EXCEPT !.pc = IF LeaseWithEntry THEN "claimed" ELSE "leasing", !.e = x.e, !.t = t])
       /\ UNCHANGED <<bodies, orphans, reaping, broker, order, history>>

(* The second transaction: settles like a worker; then the delivery is acknowledged. *)
SettleClaimed(w, way) ==
    LET x == Settling(w, job[w].e)
        ack == [Idle EXCEPT !.pc = "ack", !.e = x.e]
    IN /\ job[w].pc = "claimed" /\ way \in Ways(x) /\ Free(w, x.e, way)
       /\ IF Possible(x, way)
          THEN Apply(x, way) /\ Become(w, IF way = "bad" /\ AckWhatIsKept THEN Idle ELSE ack)
          ELSE Become(w, Idle) /\ UNCHANGED <<database, history>>
       /\ UNCHANGED <<orphans, reaping, broker, order>>

(* Its COMMIT gets no answer: nothing is acknowledged, and the next delivery finds out. *)
LoseClaimed(w, way) ==
    LET x == Settling(w, job[w].e)
    IN /\ "lost" \in MayHappen /\ orphans = {}
       /\ job[w].pc = "claimed" /\ way \in Ways(x) /\ Free(w, x.e, way) /\ Possible(x, way)
       /\ orphans' = {[x EXCEPT !.pc = way]}
       /\ Become(w, Idle)
       /\ UNCHANGED <<database, reaping, broker, order, history>>

(* Given back: the next delivery may take it. *)
ReleaseClaimed(w) ==
    LET x == job[w]
        back == {y \in entries : Holds(x.t, x.e) /\ y = <<x.e, "CLAIMED">>}
    IN /\ x.pc = "claimed" /\ ~LeaseLocked(x.t) /\ ~EntryLocked(x.e)
       /\ entries' = (entries \ back) \cup {<<y[1], "REDELIVERY">> : y \in back}
       /\ leases' = {l \in leases : l.t /= x.t}
       /\ Become(w, Idle)
       /\ UNCHANGED <<ledger, bodies, orphans, reaping, broker, order, history>>
=============================================================================
