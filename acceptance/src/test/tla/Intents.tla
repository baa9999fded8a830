\* SPDX-License-Identifier: Apache-2.0
------------------------------ MODULE Intents ------------------------------
(***************************************************************************)
(* What becomes of an intent: an effect at a provider that takes part in   *)
(* no transaction. It was written like an outgoing message (Relay.tla);    *)
(* here it is claimed, the provider is called, and what it said is marked. *)
(*                                                                         *)
(* A call may have its effect although nobody hears the answer, long after *)
(* whoever made it is gone. There is no clock: a lease may run out at any  *)
(* moment, and whoever had it goes on until it finds out.                  *)
(*                                                                         *)
(* Three of the constants are not rules of ours but assumptions about      *)
(* providers and clocks. The model shows which of them is needed where.    *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
    Senders,       \* all alike
    Intents,       \* 1..n
    HonoursKey,    \* whether the provider has one effect per key, as long as it remembers the key
    CanAsk,        \* whether the provider can be asked what became of an intent
    OnUnknown,     \* what happens when nobody knows and nobody can tell: "park", "key" or "risk"
    MayHappen

CONSTANTS
    Gate,              \* a claim sees every lease
    DurableClaim,      \* a claim that was committed survives a crash of the database
    Fence,             \* who marks has to find the row of the lease
    ExpiredIsUnknown,  \* a lease that ran out says that nobody knows
    UnknownIsUnknown,  \* so does a call without an answer
    OnlyFindingsClear, \* that nobody knows is over when the provider was asked, not when a later call was turned down
    FailedIsCertain,   \* an intent has failed for good only when no earlier call is in doubt
    RedriveKeepsDoubt, \* a command does not make known what is not known
    WithinLifetime,    \* nothing is called when the lifetime of the key is over, and this is asked last of all
    FirstTryIsKept     \* the lifetime is counted from a time that was kept before the first call

CONSTANTS
    NoCallWithoutLease, \* assumed: whoever lost its lease makes no call any more
    NotSentIsFinal,     \* assumed: "not sent" means that no call is under way either
    CallsEndInLifetime  \* assumed: a call that began within the lifetime of the key has its effect before the key is forgotten

VARIABLES
    state,     \* DUE, PARKED, FAILED or SENT, which has no row
    unsure,    \* kept with the entry: a call may have been made, and nobody knows what became of it
    first,     \* kept with the entry: when it was first tried
    leases,    \* rows [t |-> token, i |-> intent]
    job,       \* what each sender is at
    effects,   \* of each intent, 2 for more than one
    memory,    \* whether the provider remembers the key
    over,      \* whether the lifetime of the key is over, counted from the first try
    wire,      \* calls that nobody waits for any more, and that may still have their effect
    strayed    \* whether somebody marked under a lease that was gone

entries == <<state, unsure, first, leases>>
provider == <<effects, memory, over, wire>>
vars == <<entries, job, provider, strayed>>

Tokens == 1..(Cardinality(Senders) + Cardinality(Intents) + 1)
Idle == [pc |-> "idle", i |-> 0, t |-> 0, doubt |-> FALSE, first |-> FALSE]

Init ==
    /\ state = [i \in Intents |-> "DUE"]
    /\ unsure = [i \in Intents |-> FALSE] /\ first = [i \in Intents |-> FALSE]
    /\ leases = {}
    /\ job = [s \in Senders |-> Idle]
    /\ effects = [i \in Intents |-> 0] /\ memory = [i \in Intents |-> FALSE]
    /\ over = [i \in Intents |-> FALSE] /\ wire = [i \in Intents |-> 0]
    /\ strayed = FALSE

Become(s, next) == job' = [job EXCEPT ![s] = next]
Turn(s, pc) == Become(s, [job[s] EXCEPT !.pc = pc])
HasLease(t) == \E l \in leases : l.t = t
Leased(i) == \E l \in leases : l.i = i
FreeTokens == {t \in Tokens : (\A l \in leases : l.t /= t) /\ (\A s \in Senders : job[s].t /= t)}
NewToken == CHOOSE t \in FreeTokens : \A u \in FreeTokens : t <= u
UnderWay(i) == wire[i] > 0 \/ \E s \in Senders : job[s].i = i /\ job[s].pc = "calling"

-----------------------------------------------------------------------------
(* The sender. *)

(* One intent, one lease. *)
Claim(s, i) ==
    /\ job[s].pc = "idle" /\ state[i] = "DUE" /\ (Gate => ~Leased(i)) /\ FreeTokens /= {}
    /\ leases' = leases \cup {[t |-> NewToken, i |-> i]}
    /\ first' = IF FirstTryIsKept THEN [first EXCEPT ![i] = TRUE] ELSE first
    /\ Become(s, [pc |-> "held", i |-> i, t |-> NewToken, doubt |-> unsure[i], first |-> first'[i]])
    /\ UNCHANGED <<state, unsure, provider, strayed>>

(* Asks the provider. It says what is true, as far as it knows, or nothing. *)
Ask(s, finding) ==
    LET i == job[s].i
    IN /\ CanAsk /\ job[s].pc = "held" /\ job[s].doubt
       /\ CASE finding = "sent" -> effects[i] > 0 /\ Turn(s, "sent")
            [] finding = "not sent" -> /\ effects[i] = 0 /\ (NotSentIsFinal => ~UnderWay(i))
                                       /\ Become(s, [job[s] EXCEPT !.doubt = FALSE])
            [] finding = "unknown" -> Turn(s, "unknown")
       /\ UNCHANGED <<entries, provider, strayed>>

(* Whether it may be called. A key is good for as long as the provider remembers it; what has no key must not be in doubt. *)
InTime(s) == HonoursKey => ~(WithinLifetime /\ job[s].first /\ over[job[s].i])
Allowed(s) == InTime(s) /\ (job[s].doubt => OnUnknown \in {"key", "risk"})

Call(s) ==
    /\ job[s].pc = "held" /\ Allowed(s)
    /\ NoCallWithoutLease => HasLease(job[s].t)
    /\ Turn(s, "calling")
    /\ UNCHANGED <<entries, provider, strayed>>

(* What a call does when it gets there. *)
Effect(i) ==
    IF HonoursKey /\ memory[i] THEN UNCHANGED <<effects, memory>>
    ELSE /\ effects' = [effects EXCEPT ![i] = IF @ < 2 THEN @ + 1 ELSE 2]
         /\ memory' = [memory EXCEPT ![i] = HonoursKey]

Arrive(s) ==
    /\ job[s].pc = "calling"
    /\ Effect(job[s].i)
    /\ Turn(s, "done")
    /\ UNCHANGED <<entries, over, wire, strayed>>

Hear(s) ==
    /\ job[s].pc = "done"
    /\ Turn(s, "sent")
    /\ UNCHANGED <<entries, provider, strayed>>

(* The provider turns this call down: "retry" for now, "failed" for good. About other calls it says nothing; but a key that it
   remembers it answers with what it did. *)
TurnDown(s, answer) ==
    /\ answer \in MayHappen /\ job[s].pc = "calling"
    /\ ~(HonoursKey /\ memory[job[s].i])
    /\ Turn(s, answer)
    /\ UNCHANGED <<entries, provider, strayed>>

Adrift(s) == IF job[s].pc = "calling" THEN [wire EXCEPT ![job[s].i] = IF @ < 2 THEN @ + 1 ELSE 2] ELSE wire

(* No answer in time, or none that says anything. *)
GiveUp(s) ==
    /\ "unknown" \in MayHappen /\ job[s].pc \in {"calling", "done"}
    /\ wire' = Adrift(s)
    /\ Turn(s, "unknown")
    /\ UNCHANGED <<entries, effects, memory, over, strayed>>

Crash(s) ==
    /\ "crash" \in MayHappen /\ job[s].pc /= "idle"
    /\ wire' = Adrift(s)
    /\ Become(s, Idle)
    /\ UNCHANGED <<entries, effects, memory, over, strayed>>

(* What was heard, behind the fence. Who holds it and may neither call nor ask sets it aside. *)
Ends(s) == IF job[s].pc = "held" /\ ~Allowed(s) /\ (~InTime(s) \/ ~CanAsk) THEN "park" ELSE job[s].pc

Settle(s) ==
    LET x == job[s]
        end == Ends(s)
        nobodyKnows == x.doubt \/ (end = "unknown" /\ UnknownIsUnknown)
    IN /\ end \in {"sent", "retry", "failed", "unknown", "park"}
       /\ IF Fence => HasLease(x.t)
          THEN /\ state' = [state EXCEPT ![x.i] =
                     CASE end = "sent" -> "SENT"
                       [] end = "failed" -> IF x.doubt /\ FailedIsCertain THEN "PARKED" ELSE "FAILED"
                       [] end = "park" -> "PARKED"
                       [] OTHER -> "DUE"]
               /\ unsure' = [unsure EXCEPT ![x.i] = IF end = "retry" /\ ~OnlyFindingsClear THEN FALSE ELSE nobodyKnows]
               /\ first' = [first EXCEPT ![x.i] = TRUE]
               /\ leases' = {l \in leases : l.t /= x.t}
               /\ strayed' = (strayed \/ ~HasLease(x.t))
          ELSE UNCHANGED <<entries, strayed>>
       /\ Become(s, Idle)
       /\ UNCHANGED provider

(* Nothing was called. *)
Release(s) ==
    /\ job[s].pc = "held"
    /\ leases' = {l \in leases : l.t /= job[s].t}
    /\ Become(s, Idle)
    /\ UNCHANGED <<state, unsure, first, provider, strayed>>

-----------------------------------------------------------------------------
(* The others. *)

(* A lease is over, whatever its holder is at. *)
Reap(l, to) ==
    /\ "reap" \in MayHappen /\ l \in leases
    /\ leases' = leases \ {l}
    /\ state' = [state EXCEPT ![l.i] = IF @ = "DUE" THEN to ELSE @]
    /\ unsure' = IF ExpiredIsUnknown THEN [unsure EXCEPT ![l.i] = TRUE] ELSE unsure
    /\ UNCHANGED <<first, job, provider, strayed>>

Redrive(i) ==
    /\ "redrive" \in MayHappen /\ state[i] = "PARKED" /\ ~Leased(i)
    /\ state' = [state EXCEPT ![i] = "DUE"]
    /\ unsure' = IF RedriveKeepsDoubt THEN unsure ELSE [unsure EXCEPT ![i] = FALSE]
    /\ UNCHANGED <<first, leases, job, provider, strayed>>

(* A call whose caller is gone has its effect, or not. *)
ArriveLate(i) ==
    /\ wire[i] > 0
    /\ wire' = [wire EXCEPT ![i] = @ - 1]
    /\ Effect(i)
    /\ UNCHANGED <<entries, job, over, strayed>>

GetLost(i) ==
    /\ wire[i] > 0
    /\ wire' = [wire EXCEPT ![i] = @ - 1]
    /\ UNCHANGED <<entries, job, effects, memory, over, strayed>>

(* Time. The provider counts from when it first saw the key, which is not before the first try. *)
LifetimeEnds(i) ==
    /\ "expire" \in MayHappen /\ HonoursKey /\ ~over[i] /\ (first[i] \/ Leased(i))
    /\ over' = [over EXCEPT ![i] = TRUE]
    /\ UNCHANGED <<entries, job, effects, memory, wire, strayed>>

ForgetKey(i) ==
    /\ over[i] /\ memory[i] /\ (CallsEndInLifetime => ~UnderWay(i))
    /\ memory' = [memory EXCEPT ![i] = FALSE]
    /\ UNCHANGED <<entries, job, effects, over, wire, strayed>>

(* Only without DurableClaim: the database comes back without the last claim, and the sender goes on. *)
LoseClaim(l) ==
    /\ ~DurableClaim /\ l \in leases
    /\ leases' = leases \ {l}
    /\ UNCHANGED <<state, unsure, first, job, provider, strayed>>

-----------------------------------------------------------------------------

Step(s) ==
    \/ \E i \in Intents : Claim(s, i)
    \/ \E finding \in {"sent", "not sent", "unknown"} : Ask(s, finding)
    \/ Call(s) \/ Arrive(s) \/ Hear(s) \/ TurnDown(s, "retry") \/ TurnDown(s, "failed") \/ GiveUp(s)
    \/ Settle(s) \/ Release(s) \/ Crash(s)

Next ==
    \/ \E s \in Senders : Step(s)
    \/ \E l \in leases : LoseClaim(l) \/ \E to \in {"DUE", "PARKED"} : Reap(l, to)
    \/ \E i \in Intents : Redrive(i) \/ ArriveLate(i) \/ GetLost(i) \/ LifetimeEnds(i) \/ ForgetKey(i)

Spec == Init /\ [][Next]_vars

Alike == Permutations(Senders)

-----------------------------------------------------------------------------
(* What has to be true. *)

AtMostOneEffect == \A i \in Intents : effects[i] <= 1

SentIsDone == \A i \in Intents : state[i] = "SENT" => effects[i] > 0

FailedIsNotDone == \A i \in Intents : state[i] = "FAILED" => effects[i] = 0

(* What may have been done, or may still be, is not taken for something that was not. *)
DoubtIsKept == \A i \in Intents : effects[i] > 0 \/ UnderWay(i) => state[i] = "SENT" \/ Leased(i) \/ unsure[i]

OnlyTheHolderMarks == ~strayed

OneLease == \A k, l \in leases : k.i = l.i => k = l

-----------------------------------------------------------------------------
(* Places that have to be reached, said as promises that have to be broken. *)

NeverAsked == ~\E s \in Senders : job[s].pc = "sent" /\ job[s].doubt
NeverTwoCalls == ~\E i \in Intents : Cardinality({s \in Senders : job[s].i = i /\ job[s].pc = "calling"}) > 1
NeverParkedLate == ~\E i \in Intents : state[i] = "PARKED" /\ over[i] /\ effects[i] = 1
NeverLateEffect == ~\E i \in Intents : state[i] = "PARKED" /\ effects[i] = 1 /\ \A s \in Senders : job[s].pc = "idle"

-----------------------------------------------------------------------------
(* In the end it is done, if the provider does it and answers now and then. *)

Fair ==
    /\ SF_vars(\E s \in Senders, i \in Intents : Claim(s, i))
    /\ SF_vars(\E s \in Senders : HasLease(job[s].t) /\ Call(s))
    /\ SF_vars(\E s \in Senders : HasLease(job[s].t) /\ Ask(s, "sent"))
    /\ SF_vars(\E s \in Senders : HasLease(job[s].t) /\ Ask(s, "not sent"))
    /\ SF_vars(\E s \in Senders : HasLease(job[s].t) /\ Arrive(s))
    /\ SF_vars(\E s \in Senders : HasLease(job[s].t) /\ Hear(s))
    /\ SF_vars(\E s \in Senders : HasLease(job[s].t) /\ job[s].pc = "sent" /\ Settle(s))
    /\ SF_vars(\E s \in Senders : HasLease(job[s].t) /\ Settle(s))
    /\ \A s \in Senders : WF_vars(~HasLease(job[s].t) /\ (Release(s) \/ Settle(s) \/ Hear(s) \/ Arrive(s)))
    /\ WF_vars(\E i \in Intents : ArriveLate(i))
    /\ SF_vars(\E l \in leases : Reap(l, "DUE"))
    /\ SF_vars(\E i \in Intents : Redrive(i))

FairSpec == Spec /\ Fair

EverythingIsDoneOnce == \A i \in Intents : <>[](state[i] = "SENT" /\ effects[i] = 1)
=============================================================================
