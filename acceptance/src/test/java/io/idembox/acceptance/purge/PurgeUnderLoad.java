// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.purge;

/** A million finished messages are forgotten while others are handled; the exit code says whether all went well. */
final class PurgeUnderLoad {

    private static final String ROWS = "--rows=";
    private static final int MILLION = 1_000_000;

    private PurgeUnderLoad() {}

    public static void main(String[] args) {
        int rows = MILLION;
        for (String arg : args) {
            if (!arg.startsWith(ROWS)) {
                System.err.println("Unknown option " + arg + "; there is only " + ROWS + MILLION);
                System.exit(2);
            }
            rows = Integer.parseInt(arg.substring(ROWS.length()).replace("_", ""));
        }
        PurgeRun.Report report = PurgeRun.of(rows);
        report.violations().stream().limit(20).forEach(violation -> System.out.println("VIOLATION " + violation));
        System.out.println(report.line());
        System.exit(report.violations().isEmpty() ? 0 : 1);
    }
}
