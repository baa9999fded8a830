// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds SQL that changes the session beyond the commit: settings, listeners, deallocated prepared statements. The
 * session belongs to a pool, so the next message would run with them. It only compares words: SQL inside a
 * function or {@code DO} is not detected. Pure.
 */
final class SessionText {

    private static final Set<String> BY_FIRST_WORD =
            Set.of("SET", "RESET", "DISCARD", "LISTEN", "UNLISTEN", "DEALLOCATE", "LOAD", "USE");

    /** Refused with SET LOCAL too: the inbox's own statements and the commit would run with them. */
    private static final Set<String> NOT_EVEN_LOCAL = Set.of("ROLE", "SESSION_AUTHORIZATION", "SYNCHRONOUS_COMMIT");

    private static final String SET_CONFIG = "set_config";
    private static final String PG_SETTINGS = "pg_settings";

    private final List<String> tokens;

    private SessionText(String sql) {
        this.tokens = SqlText.tokensOf(sql);
    }

    /** The words that would outlive the transaction; null if there are none. */
    static @Nullable String in(String sql) {
        return SqlText.beginsWithOneOf(BY_FIRST_WORD, sql) || mentions(sql, SET_CONFIG) || mentions(sql, PG_SETTINGS)
                ? new SessionText(sql).find()
                : null;
    }

    private static boolean mentions(String sql, String word) {
        for (int at = sql.length() - word.length(); at >= 0; at--) {
            if (sql.regionMatches(true, at, word, 0, word.length())) {
                return true;
            }
        }
        return false;
    }

    private @Nullable String find() {
        boolean begins = true;
        for (int at = 0; at < tokens.size(); at++) {
            String word = tokens.get(at);
            if (word.equals(";")) {
                begins = true;
                continue;
            }
            String found = begins ? atTheBeginning(at) : null;
            if (found == null) {
                found = anywhere(at);
            }
            if (found != null) {
                return found;
            }
            begins = begins && (word.equals("(") || word.equals("{"));
        }
        return null;
    }

    private @Nullable String atTheBeginning(int at) {
        String first = tokens.get(at).toUpperCase(Locale.ROOT);
        String second = name(at + 1);
        return switch (first) {
            case "SET" -> setting(at + 1);
            case "DEALLOCATE" -> second.equals("ALL") || name(at + 2).equals("ALL") ? "DEALLOCATE ALL" : null;
            case "RESET", "DISCARD", "LISTEN", "UNLISTEN", "LOAD", "USE" -> (first + " " + second).strip();
            default -> null;
        };
    }

    private @Nullable String setting(int at) {
        String name = name(at);
        // Constraints belong to the transaction; the inbox's statements do not read variables of H2.
        if (name.isEmpty() || name.equals("@") || name.equals("CONSTRAINTS")) {
            return null;
        }
        if (name.equals("LOCAL")) {
            return NOT_EVEN_LOCAL.contains(name(at + 1)) ? "SET LOCAL " + name(at + 1) : null;
        }
        return "SET " + name;
    }

    private @Nullable String anywhere(int at) {
        if (name(at).equals("SET_CONFIG") && name(at + 1).equals("(")) {
            return isLocal(argumentsFrom(at + 2)) ? null : "set_config without a literal true as is_local";
        }
        int table = name(at + 1).equals("ONLY") ? at + 2 : at + 1;
        return name(at).equals("UPDATE") && name(table).equals("PG_SETTINGS") ? "UPDATE PG_SETTINGS" : null;
    }

    private List<List<String>> argumentsFrom(int first) {
        List<List<String>> arguments = new ArrayList<>();
        arguments.add(new ArrayList<>());
        int depth = 1;
        for (int at = first; at < tokens.size(); at++) {
            String token = tokens.get(at);
            depth += token.equals("(") ? 1 : token.equals(")") ? -1 : 0;
            if (depth == 0) {
                break;
            }
            if (depth == 1 && token.equals(",")) {
                arguments.add(new ArrayList<>());
            } else {
                arguments.get(arguments.size() - 1).add(token.toUpperCase(Locale.ROOT));
            }
        }
        return arguments;
    }

    private static boolean isLocal(List<List<String>> arguments) {
        return (arguments.size() == 3 && arguments.get(2).equals(List.of("TRUE")))
                || arguments.contains(List.of("IS_LOCAL", "=", ">", "TRUE"))
                || arguments.contains(List.of("IS_LOCAL", ":", "=", "TRUE"));
    }

    /** The last part of a name, without quotes. */
    private String name(int at) {
        if (at >= tokens.size()) {
            return "";
        }
        String token = tokens.get(at);
        String last = token.length() > 1 ? token.substring(token.lastIndexOf('.') + 1) : token;
        return last.replace("\"", "").toUpperCase(Locale.ROOT);
    }
}
