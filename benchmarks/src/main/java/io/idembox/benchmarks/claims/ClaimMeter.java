// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.claims;

import io.idembox.benchmarks.rig.Arena;
import java.util.List;

/** Reads what the server itself counts about the claim statement, as it is sent by the library. */
final class ClaimMeter {

    /** To be told to the server before it starts. */
    static final String LIBRARY = "pg_stat_statements";

    private static final String COST = """
            select coalesce(sum(calls), 0),
                   coalesce(sum(shared_blks_hit + shared_blks_read), 0),
                   coalesce(sum(total_exec_time), 0)
              from pg_stat_statements
             where query like '%s%%'
            """;

    private static final String STATEMENTS = """
            select regexp_replace(left(regexp_replace(query, '\\s+', ' ', 'g'), 76), '\\|', '/', 'g'),
                   calls, total_exec_time, wal_bytes, shared_blks_hit + shared_blks_read
              from pg_stat_statements
             where query not like '%pg_stat_statements%'
               and query not like '%pg_current_wal%'
             order by total_exec_time desc
             limit 12
            """;

    private final Arena arena;

    ClaimMeter(Arena arena) {
        this.arena = arena;
        arena.execute("create extension " + LIBRARY);
    }

    /**
     * What a statement has cost.
     *
     * @param buffers shared buffers touched, in memory or not
     * @param millis the server's own time
     */
    record Cost(double calls, double buffers, double millis) {

        Cost since(Cost before) {
            return new Cost(calls - before.calls, buffers - before.buffers, millis - before.millis);
        }

        /** Of one of them. */
        Cost each() {
            return new Cost(1, buffers / calls, millis / calls);
        }
    }

    /** Of claims so far. */
    Cost claims() {
        return cost("with %insert into %lease (");
    }

    /** Of loading what was claimed, so far. */
    Cost loads() {
        return cost("select e.arrival, e.state");
    }

    private Cost cost(String beginning) {
        List<String> row = arena.rows(COST.formatted(beginning)).get(0);
        return new Cost(number(row.get(0)), number(row.get(1)), number(row.get(2)));
    }

    void reset() {
        arena.execute("select pg_stat_statements_reset()");
    }

    /** A statement and what it cost since the last reset. */
    record Spent(String statement, double calls, double millis, double walBytes, double buffers) {}

    /** Those that took the longest. */
    List<Spent> statements() {
        return arena.rows(STATEMENTS).stream()
                .map(row -> new Spent(
                        row.get(0), number(row.get(1)), number(row.get(2)), number(row.get(3)), number(row.get(4))))
                .toList();
    }

    private static double number(String text) {
        return Double.parseDouble(text);
    }
}
