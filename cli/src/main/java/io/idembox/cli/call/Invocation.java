// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import io.idembox.admin.Operation;
import io.idembox.cli.output.Form;
import io.idembox.cli.output.Printer;
import io.idembox.cli.output.Visible;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** One call of the command line: what was said for all commands, and what is around it. Not thread-safe. */
public final class Invocation {

    private static final String BEGIN_AND_CLEAR = "\r\u001b[2K";

    private final GlobalOptions options;
    private final World world;

    public Invocation(GlobalOptions options, World world) {
        this.options = options;
        this.world = world;
    }

    public GlobalOptions options() {
        return options;
    }

    public World world() {
        return world;
    }

    public Instant now() {
        return world.clock().instant();
    }

    public Database openDatabase() {
        return Database.open(options, world);
    }

    public Session open() {
        return Session.open(openDatabase());
    }

    public String tablePrefix() {
        return options.tablePrefix;
    }

    /** The form that was asked for; empty when none was. */
    public Optional<Form> form() {
        return Optional.ofNullable(options.form);
    }

    /** Data goes there. */
    public Printer printer() {
        return printer(form().orElse(Form.TEXT));
    }

    public Printer printer(Form form) {
        return form.on(world.out());
    }

    /** Whether nobody reads the data any more, as behind {@code head}. */
    public boolean readerIsGone() {
        return world.out().checkError();
    }

    /** Words for people, one line. */
    public void say(String words) {
        world.err().print(Visible.of(words) + "\n");
        world.err().flush();
    }

    /** How far it is; only where somebody watches. */
    public void progress(String words) {
        if (world.terminals().err()) {
            say(words);
        }
    }

    /** The same in place of what was there before, until {@link #leaveLine}. */
    public void redraw(String words) {
        if (world.terminals().err()) {
            world.err().print(BEGIN_AND_CLEAR + Visible.of(words));
            world.err().flush();
        }
    }

    /** What was drawn stays; words come below it. */
    public void leaveLine() {
        if (world.terminals().err()) {
            world.err().print("\n");
            world.err().flush();
        }
    }

    /** A new decision, by whoever it is, for the reason that was given. */
    public Operation decision() {
        if (options.reason == null) {
            throw CommandException.usage("Say why, with --reason: it is kept with what is done.");
        }
        return decisionFor(options.reason);
    }

    /** The same for what changes no message: whoever gives no reason has this one. */
    public Operation decisionOr(String otherwise) {
        return decisionFor(options.reason == null ? otherwise : options.reason);
    }

    private Operation decisionFor(String reason) {
        String by = options.by == null ? System.getProperty("user.name", "unknown") : options.by;
        try {
            return Operation.of(by, reason);
        } catch (IllegalArgumentException unfit) {
            throw CommandException.usage(String.valueOf(unfit.getMessage()));
        }
    }

    /** Asks, unless that is not wanted. Silence is no. */
    public boolean confirm(String question) {
        if (options.yes) {
            return true;
        }
        world.err().print(Visible.of(question) + " [y/N] ");
        world.err().flush();
        try {
            String answer = world.in().readLine();
            return answer != null
                    && (answer.strip().equalsIgnoreCase("y") || answer.strip().equalsIgnoreCase("yes"));
        } catch (IOException gone) {
            return false;
        }
    }
}
