// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds SQL that changes the session beyond the commit: settings, listeners, deallocated prepared statements. The
 * session belongs to a pool, so the next message would run with them. Also finds the settings that are changed until the transaction
 * ends. It only compares words: SQL inside a function or {@code DO} is not detected. Pure.
 */
final class SessionSettingScanner {

    private static final Set<String> BY_FIRST_WORD =
            Set.of("SET", "RESET", "DISCARD", "LISTEN", "UNLISTEN", "DEALLOCATE", "LOAD", "USE");

    /** Refused with SET LOCAL too: the inbox's own statements and the commit would run with them. */
    private static final Set<String> NOT_EVEN_LOCAL = Set.of(
            "ROLE",
            "SESSION_AUTHORIZATION",
            "SYNCHRONOUS_COMMIT",
            "TRANSACTION_READ_ONLY",
            "TRANSACTION_ISOLATION",
            "TRANSACTION_DEFERRABLE");

    /** The start of a sequence of random numbers, which cannot be read and harms no other message. */
    private static final String SEED = "SEED";

    private static final String SET_CONFIG = "set_config";
    private static final String PG_SETTINGS = "pg_settings";

    /** Behind these words a name with parentheses is a table or a definition, and not a call. */
    private static final Set<String> BEFORE_A_NAME =
            Set.of("INTO", "TABLE", "EXISTS", "REFERENCES", "FUNCTION", "AS", "WITH", "RECURSIVE");

    private static final Set<String> BEFORE_A_VALUE = Set.of("=", "TO", "FROM");
    private static final Set<String> TRUE = Set.of("TRUE", "'TRUE'", "'T'", "'YES'", "'Y'", "'ON'", "'1'");
    private static final Set<String> BOOLEAN = Set.of("BOOL", "BOOLEAN");
    private static final Set<String> TEXT = Set.of("TEXT", "VARCHAR");

    private final List<String> tokens;
    private final Set<String> local = new TreeSet<>();
    private final @Nullable Refused refused;

    private SessionSettingScanner(String sql) {
        this.tokens = joined(TransactionControlScanner.tokensOf(sql));
        this.refused = find();
    }

    /** Why a text is refused. */
    enum Why {
        OUTLIVES_THE_TRANSACTION,
        DECIDES_FOR_THE_INBOX,
        NAME_UNKNOWN
    }

    /** The words that are refused. */
    record Refused(Why why, String words) {}

    /** What a text does to settings; null when it does nothing of that kind. */
    static @Nullable SessionSettingScanner of(String sql) {
        return TransactionControlScanner.beginsWithOneOf(BY_FIRST_WORD, sql)
                        || mentions(sql, SET_CONFIG)
                        || mentions(sql, PG_SETTINGS)
                ? new SessionSettingScanner(sql)
                : null;
    }

    /** What is refused; null if nothing is. */
    @Nullable
    Refused refused() {
        return refused;
    }

    /** The settings that are changed until the transaction ends, in lower case. */
    Set<String> local() {
        return local;
    }

    private static boolean mentions(String sql, String word) {
        for (int at = sql.length() - word.length(); at >= 0; at--) {
            if (sql.regionMatches(true, at, word, 0, word.length())) {
                return true;
            }
        }
        return false;
    }

    /** A name is one token, also with spaces around its dots. */
    private static List<String> joined(List<String> tokens) {
        List<String> all = new ArrayList<>(tokens.size());
        for (String token : tokens) {
            int last = all.size() - 1;
            if (last >= 0
                    && isName(token)
                    && isName(all.get(last))
                    && (token.startsWith(".") || all.get(last).endsWith("."))) {
                all.set(last, all.get(last) + token);
            } else {
                all.add(token);
            }
        }
        return all;
    }

    private static boolean isName(String token) {
        char first = token.charAt(0);
        return Character.isLetter(first) || first == '_' || first == '"' || first == '.';
    }

    private @Nullable Refused find() {
        boolean begins = true;
        for (int at = 0; at < tokens.size(); at++) {
            String word = tokens.get(at);
            if (word.equals(";")) {
                begins = true;
                continue;
            }
            Refused found = begins ? atTheBeginning(at) : null;
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

    private @Nullable Refused atTheBeginning(int at) {
        String first = tokens.get(at).toUpperCase(Locale.ROOT);
        String second = name(at + 1);
        return switch (first) {
            case "SET" -> setting(at + 1);
            case "DEALLOCATE" -> second.equals("ALL") || name(at + 2).equals("ALL") ? outlives("DEALLOCATE ALL") : null;
            case "RESET", "DISCARD", "LISTEN", "UNLISTEN", "LOAD", "USE" -> outlives((first + " " + second).strip());
            default -> null;
        };
    }

    private static Refused outlives(String words) {
        return new Refused(Why.OUTLIVES_THE_TRANSACTION, words);
    }

    private @Nullable Refused setting(int at) {
        String name = name(at);
        // Constraints belong to the transaction; the inbox's statements do not read variables of H2.
        if (name.isEmpty() || name.equals("@") || name.equals("CONSTRAINTS")) {
            return null;
        }
        if (name.equals("LOCAL")) {
            String set = localName(at + 1);
            return set == null ? new Refused(Why.NAME_UNKNOWN, "SET LOCAL") : setLocally(set);
        }
        return outlives("SET " + name);
    }

    /** The name of a local setting, whose statement may use other words for it; null when it cannot be read. */
    private @Nullable String localName(int at) {
        String name = fullName(at);
        return switch (name) {
            case "TIME" -> "TIMEZONE";
            case "SCHEMA" -> "SEARCH_PATH";
            case "NAMES" -> "CLIENT_ENCODING";
            case "XML" -> "XMLOPTION";
            case "ROLE" -> "ROLE";
            default -> BEFORE_A_VALUE.contains(name(at + 1)) ? name : null;
        };
    }

    private @Nullable Refused setLocally(String name) {
        if (NOT_EVEN_LOCAL.contains(name)) {
            return new Refused(Why.DECIDES_FOR_THE_INBOX, "SET LOCAL " + name);
        }
        if (!name.equals(SEED)) {
            local.add(name.toLowerCase(Locale.ROOT));
        }
        return null;
    }

    private @Nullable Refused anywhere(int at) {
        if (name(at).equals("SET_CONFIG") && name(at + 1).equals("(") && !isBehindOneOf(BEFORE_A_NAME, at)) {
            return call(argumentsFrom(at + 2));
        }
        if (name(at).equals("UPDATE")) {
            String table = fullName(name(at + 1).equals("ONLY") ? at + 2 : at + 1);
            if (table.equals("PG_SETTINGS") || ("." + table).endsWith(".PG_CATALOG.PG_SETTINGS")) {
                return outlives("UPDATE PG_SETTINGS");
            }
        }
        return null;
    }

    private boolean isBehindOneOf(Set<String> words, int at) {
        return at > 0 && words.contains(tokens.get(at - 1).toUpperCase(Locale.ROOT));
    }

    /** A call of {@code set_config(setting_name, new_value, is_local)}. */
    private @Nullable Refused call(List<List<String>> arguments) {
        String isLocal = literal(argument(arguments, 2, "IS_LOCAL"), BOOLEAN);
        if (!TRUE.contains(isLocal)) {
            return outlives("set_config without a literal true as is_local");
        }
        String name = literal(argument(arguments, 0, "SETTING_NAME"), TEXT);
        return name.startsWith("'") ? setLocally(name.replace("'", "")) : new Refused(Why.NAME_UNKNOWN, "set_config");
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

    /** The tokens of an argument that is given by its name or by its position; none when it is not there. */
    private static List<String> argument(List<List<String>> arguments, int position, String name) {
        for (List<String> each : arguments) {
            if (isNamed(each) && each.get(0).equals(name)) {
                return each.subList(3, each.size());
            }
        }
        return arguments.size() == 3 && !isNamed(arguments.get(position)) ? arguments.get(position) : List.of();
    }

    private static boolean isNamed(List<String> argument) {
        return argument.size() > 3
                && ((argument.get(1).equals("=") && argument.get(2).equals(">"))
                        || (argument.get(1).equals(":") && argument.get(2).equals("=")));
    }

    /** The only token of an argument, which may be cast to one of these types; empty when there are others. */
    private static String literal(List<String> argument, Set<String> types) {
        boolean isCast = argument.size() == 4
                && argument.get(1).equals(":")
                && argument.get(2).equals(":")
                && types.contains(argument.get(3));
        return argument.size() == 1 || isCast ? argument.get(0) : "";
    }

    /** The last part of a name, without quotes. */
    private String name(int at) {
        String token = fullName(at);
        return token.length() > 1 ? token.substring(token.lastIndexOf('.') + 1) : token;
    }

    /** A name with all its parts, without quotes. */
    private String fullName(int at) {
        return at < tokens.size() ? tokens.get(at).replace("\"", "").toUpperCase(Locale.ROOT) : "";
    }
}
