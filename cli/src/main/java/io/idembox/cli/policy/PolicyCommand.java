// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.policy;

import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.output.Column;
import io.idembox.cli.output.Fields;
import io.idembox.cli.output.OutputFormat;
import io.idembox.cli.output.Printer;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Policies;
import io.idembox.policy.yaml.PolicyFileException;
import io.idembox.policy.yaml.Problem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code idembox policy}. */
@Command(
        name = "policy",
        description = "Check, show and compare policy files. Needs no database.",
        footer = {"", "Example:", "  idembox policy lint policies.yaml"})
public final class PolicyCommand {

    private final Invocation invocation;

    PolicyCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "lint",
            description =
                    "Check a policy file and list all problems with their lines. Exits with 1 when there are any.",
            footer = {"", "Example:", "  idembox policy lint policies.yaml"})
    int lint(@Parameters(paramLabel = "FILE", description = "Policy file.") Path file) {
        List<Problem> problems = problems(file);
        Printer.Rows rows = invocation.printer().rows(List.of(Column.of("line"), Column.of("problem")));
        problems.forEach(each -> rows.add(Fields.of("line", each.line()).and("problem", each.text())));
        rows.end();
        invocation.printMessage(
                problems.isEmpty()
                        ? file + " has no problems."
                        : file + " has " + problems.size() + (problems.size() == 1 ? " problem." : " problems."));
        return problems.isEmpty() ? ExitCode.DONE : ExitCode.REFUSED;
    }

    private static List<Problem> problems(Path file) {
        try {
            RawPolicyFile.policiesOf(file);
            return List.of();
        } catch (PolicyFileException mistakes) {
            return mistakes.problems();
        }
    }

    @Command(
            name = "show",
            description =
                    "Show the effective policies, including defaults, as YAML that can be read again, or as JSON with -o json.",
            footer = {"", "Example:", "  idembox policy show policies.yaml billing"})
    int show(
            @Parameters(paramLabel = "FILE", description = "Policy file.") Path file,
            @Parameters(arity = "0..1", paramLabel = "CONSUMER", description = "Name of the consumer. Default: all.")
                    @Nullable
                    String consumer) {
        RawPolicyFile raw = RawPolicyFile.read(file);
        Policies all = raw.policies();
        Policies shown = consumer == null ? all : new Policies(only(all, consumer), Map.of(), null);
        OutputFormat format = invocation
                .outputFormat()
                .filter(each -> each != OutputFormat.TEXT)
                .orElse(OutputFormat.YAML);
        invocation.printer(format).printOne(new PolicyTree(raw).of(shown));
        return ExitCode.DONE;
    }

    private static Map<String, ConsumerPolicy> only(Policies all, String consumer) {
        ConsumerPolicy policy = all.consumers().get(consumer);
        if (policy == null) {
            throw CommandException.refused("The file has no policy for consumer " + consumer + "; it has "
                    + new TreeSet<>(all.consumers().keySet()));
        }
        return Map.of(consumer, policy);
    }

    @Command(
            name = "diff",
            description = "Compare the effective policies of two files. Exits with 1 when they differ.",
            footer = {"", "Example:", "  idembox policy diff policies.yaml policies-new.yaml"})
    int diff(
            @Parameters(paramLabel = "A", description = "First policy file.") Path a,
            @Parameters(paramLabel = "B", description = "Second policy file.") Path b) {
        Map<String, String> one = FlattenedTree.of(tree(a));
        Map<String, String> other = FlattenedTree.of(tree(b));
        TreeSet<String> keys = new TreeSet<>(one.keySet());
        keys.addAll(other.keySet());
        keys.removeIf(key -> Objects.equals(one.get(key), other.get(key)));
        List<Column> columns = List.of(Column.of("key"), Column.of("a"), Column.of("b"));
        Printer.Rows rows = invocation.printer().rows(columns);
        keys.forEach(
                key -> rows.add(Fields.of("key", key).and("a", one.get(key)).and("b", other.get(key))));
        rows.end();
        if (keys.isEmpty()) {
            invocation.printMessage("No differences.");
        }
        return keys.isEmpty() ? ExitCode.DONE : ExitCode.REFUSED;
    }

    private static Fields tree(Path file) {
        RawPolicyFile raw = RawPolicyFile.read(file);
        return new PolicyTree(raw).of(raw.policies());
    }
}
