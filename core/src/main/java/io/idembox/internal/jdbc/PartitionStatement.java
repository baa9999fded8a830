// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

/** Who reads which lane of a consumer, and how far. */
enum PartitionStatement implements SqlStatement {

    /** The owner before, locked; nobody takes over at the same time. */
    FIND_OWNER("""
            select node, in_flight, released, incarnation, first_offset, next_offset, leader_epoch, epoch_offset
              from {prefix}partition
             where consumer_id = ?
               and partition_name = ?
               for update
            """),

    INSERT_OWNER("""
            insert into {prefix}partition (consumer_id, partition_name, node, token, in_flight, released, taken_at)
            values (?, ?, ?, ?, 0, false, {now})
                on conflict do nothing
            """, """
            merge into {prefix}partition o
            using (select cast(? as int) as consumer_id, cast(? as varchar) as partition_name, cast(? as varchar) as node,
                          cast(? as uuid) as token, cast({now} as timestamp(6) with time zone) as taken_at) n
               on o.consumer_id = n.consumer_id and o.partition_name = n.partition_name
             when not matched then insert (consumer_id, partition_name, node, token, in_flight, released, taken_at)
                  values (n.consumer_id, n.partition_name, n.node, n.token, 0, false, n.taken_at)
            """),

    /** What may be in flight stays as it was: the one before may have ended in the middle of it. */
    TAKE_OVER("""
            update {prefix}partition
               set node = ?,
                   token = ?,
                   released = false,
                   taken_at = {now}
             where consumer_id = ?
               and partition_name = ?
            """),

    /** No row: somebody else took the lane. */
    ALLOW("""
            update {prefix}partition
               set in_flight = greatest(in_flight, cast(? as int)),
                   released = false
             where consumer_id = ?
               and partition_name = ?
               and token = ?
            """),

    /**
     * Only where the position is what this owner wrote last. No row: another process took the lane, or the database has lost a
     * position that this owner wrote.
     */
    REACHED("""
            update {prefix}partition
               set incarnation = ?,
                   first_offset = ?,
                   next_offset = ?,
                   leader_epoch = ?,
                   epoch_offset = ?
             where consumer_id = ?
               and partition_name = ?
               and token = ?
               and (incarnation is not distinct from cast(? as varchar)
                    or incarnation is not distinct from cast(? as varchar))
               and (next_offset is null or next_offset between ? and ?)
            """),

    /** Which of the two reasons REACHED had; asked for only when it changed no row. */
    HAS_TOKEN("""
            select count(*)
              from {prefix}partition
             where consumer_id = ?
               and partition_name = ?
               and token = ?
            """),

    /**
     * Whether the lane is still this process's; an error if not, so that the commit behind it is skipped. The words are found
     * again in the error. They must not be a constant for the planner, who would try them beforehand.
     */
    FENCE_LANE("""
            select cast(coalesce(max('0'), 'idembox: the partition was taken over') as int)
              from {prefix}partition
             where consumer_id = ?
               and partition_name = ?
               and token = ?
            """, """
            select count(*)
              from {prefix}partition
             where consumer_id = ?
               and partition_name = ?
               and token = ?
            """),

    /** Changes when a replica becomes the primary, and when a backup is restored to a point in time. */
    FIND_TIMELINE("""
            select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
            """, """
            select ''
            """),

    /** Whether the server is a standby. */
    IS_IN_RECOVERY("""
            select pg_is_in_recovery()
            """, """
            select false
            """),

    RELEASE_OWNER("""
            update {prefix}partition
               set released = true,
                   in_flight = 0
             where consumer_id = ?
               and partition_name = ?
               and token = ?
            """);

    private final Template template;

    PartitionStatement(String standard) {
        this(standard, standard);
    }

    PartitionStatement(String postgresql, String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
