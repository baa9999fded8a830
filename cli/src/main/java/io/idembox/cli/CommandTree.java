// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import io.idembox.cli.call.CommandEnvironment;
import io.idembox.cli.call.GlobalOptions;
import io.idembox.cli.call.Invocation;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Builds the picocli command tree for one invocation. */
final class CommandTree {

    private static final int WIDTH = 110;

    private CommandTree() {}

    static CommandLine in(CommandEnvironment environment) {
        GlobalOptions options = new GlobalOptions();
        Invocation invocation = new Invocation(options, environment);
        CommandLine tree = new CommandLine(new Main(options), new Commands(invocation));
        Failures failures = new Failures(invocation);
        boolean colours =
                environment.terminals().out() && !environment.environment().containsKey("NO_COLOR");
        tree.setOut(environment.out())
                .setErr(environment.err())
                .setColorScheme(Help.defaultColorScheme(colours ? Help.Ansi.ON : Help.Ansi.OFF))
                .setExecutionExceptionHandler(failures)
                .setParameterExceptionHandler(failures)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpWidth(WIDTH);
        tree.getSubcommands().values().forEach(CommandTree::hideInheritedOptions);
        return tree;
    }

    /** Hides inherited options in the help of a command; {@code idembox --help} lists them once. */
    private static void hideInheritedOptions(CommandLine command) {
        UsageMessageSpec usage = command.getCommandSpec().usageMessage();
        usage.abbreviateSynopsis(true);
        usage.sortOptions(false);
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, CommandTree::ownOptions);
        command.getSubcommands().values().forEach(CommandTree::hideInheritedOptions);
    }

    private static String ownOptions(Help help) {
        List<OptionSpec> own = new ArrayList<>(help.commandSpec().options());
        own.removeIf(OptionSpec::inherited);
        own.removeIf(OptionSpec::hidden);
        Help.Layout layout = help.createDefaultLayout(own, List.of(), help.colorScheme());
        layout.addOptions(own, help.createDefaultParamLabelRenderer());
        return layout + "Global options (--jdbc, -o, --policies, --reason …): idembox --help%n".formatted();
    }

    /** Creates commands and passes them the invocation. */
    private record Commands(Invocation invocation) implements IFactory {

        @Override
        public <K> K create(Class<K> type) throws Exception {
            for (Constructor<?> constructor : type.getDeclaredConstructors()) {
                if (Arrays.equals(constructor.getParameterTypes(), new Class<?>[] {Invocation.class})) {
                    constructor.setAccessible(true);
                    return type.cast(constructor.newInstance(invocation));
                }
            }
            return CommandLine.defaultFactory().create(type);
        }
    }
}
