// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import org.jspecify.annotations.Nullable;

/** Commands for very many messages, and how far they have come. */
enum CampaignStatement implements SqlStatement {
    INSERT_CAMPAIGN(CampaignStatement.INSERT + """
                on conflict do nothing
            """, CampaignStatement.INSERT),

    INSERT_CAMPAIGN_STEP("""
            insert into {prefix}campaign_step (campaign_id, step, arrivals, versions)
            values (?, ?, ?, ?)
            """),

    FIND_CAMPAIGN(CampaignStatement.SELECT + """
             where c.campaign_id = ?
            """),

    FIND_CAMPAIGNS(CampaignStatement.SELECT + """
             order by c.planned_at desc, c.campaign_id
             limit ?
            """),

    FIND_RUNNING_CAMPAIGNS(CampaignStatement.SELECT + """
             where c.state = 'RUNNING'
             order by c.planned_at, c.campaign_id
            """),

    FIND_CAMPAIGN_STEP("""
            select arrivals, versions
              from {prefix}campaign_step
             where campaign_id = ?
               and step = ?
            """),

    /** In the transaction of a step. Who finds it elsewhere, or not running, was too late. */
    ADVANCE_CAMPAIGN("""
            update {prefix}campaign
               set position = ?,
                   given = given + ?,
                   done = done + ?,
                   next_at = {due},
                   changed_at = {now}
             where campaign_id = ?
               and state = 'RUNNING'
               and position = ?
            """),

    /** What went wrong before is known to whoever lets it run. */
    START_CAMPAIGN("""
            update {prefix}campaign
               set state = 'RUNNING',
                   note = null,
                   since = position,
                   by_whom = ?,
                   role = ?,
                   reason = ?,
                   changed_at = {now}
             where campaign_id = ?
               and state = any (?)
            """),

    /** Whoever judged it before somebody let it run is too late. */
    CHANGE_CAMPAIGN("""
            update {prefix}campaign
               set state = ?,
                   note = ?,
                   changed_at = {now}
             where campaign_id = ?
               and state = any (?)
               and since = coalesce(cast(? as bigint), since)
            """),

    FIND_GENERATION("""
            select coalesce(generation, 0) as generation
              from {prefix}campaign
             where campaign_id = ?
            """),

    FIND_STEPS_DONE("""
            select operation_id, kind, consumer_id, by_whom, role, reason, filter, given_at, arrivals, verdicts, states
              from {prefix}operation
             where operation_id = any (?)
            """),

    /** What became of messages that were tried again; those without an entry are through. */
    JUDGE("""
            select count(case when e.state in ('FAILED_TERMINAL', 'PARKED')
                                or e.state = 'FAILED_RETRYABLE' and e.failures > 0 then 1 end) as failed,
                   count(case when e.state = 'RECEIVED'
                                or e.state = 'FAILED_RETRYABLE' and e.failures = 0 then 1 end) as open,
                   count(case when e.state = 'WAITING' then 1 end) as waiting,
                   count(*) as unfinished
              from {prefix}entry e
             where e.consumer_id = ?
               and e.state in {states}
               and e.arrival = any (?)
            """);

    private static final String INSERT = """
            insert into {prefix}campaign (campaign_id, kind, consumer_id, by_whom, role, reason, filter, canary, per_second, stop_above,
                   state, total, given, done, steps, position, since, planned_at, changed_at, next_at, replay_from, replay_to,
                   replay_type, replay_key)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'PLANNED', ?, 0, 0, ?, 0, 0, {now}, {now}, {now}, cast(? as {time}),
                   cast(? as {time}), ?, ?)
            """;

    private static final String SELECT = """
            select c.campaign_id, c.kind, n.name as consumer, c.by_whom, c.role, c.reason, c.filter, c.canary, c.per_second, c.stop_above,
                   c.state, c.total, c.given, c.done, c.steps, c.position, c.since, c.planned_at, c.changed_at,
                   c.next_at, cast({now} as {time}) as seen_at, c.note, c.generation, c.replay_from, c.replay_to, c.replay_type, c.replay_key
              from {prefix}campaign c
              join {prefix}consumer n
                on n.consumer_id = c.consumer_id
               and not n.alias
            """;

    private final Template template;

    CampaignStatement(String standard) {
        this(standard, standard);
    }

    CampaignStatement(String postgresql, @Nullable String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
