// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.CommandResult;
import io.idembox.internal.engine.EntryState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Encodes the results of an operation as stored: one character per message. Pure. */
public final class CommandResultCodec {

    private static final char NONE = '-';

    private CommandResultCodec() {}

    public static String encodeResults(RecordedOperation done) {
        StringBuilder letters = new StringBuilder();
        done.treatedMessage().values().forEach(each -> letters.append(code(each.result())));
        return letters.toString();
    }

    /** Encodes the states before the command. */
    public static String encodeStates(RecordedOperation done) {
        StringBuilder letters = new StringBuilder();
        done.treatedMessage().values().forEach(each -> letters.append(code(each.before())));
        return letters.toString();
    }

    /**
     * Decodes results and states.
     *
     * @throws IllegalArgumentException when a code is unknown
     */
    public static Map<Long, TreatedMessage> decode(List<Long> arrivals, String results, String states) {
        if (results.length() != arrivals.size() || states.length() != arrivals.size()) {
            throw new IllegalArgumentException(
                    "Expected " + arrivals.size() + " result codes and state codes, one per message");
        }
        Map<Long, TreatedMessage> treatedMessage = new LinkedHashMap<>();
        for (int i = 0; i < arrivals.size(); i++) {
            treatedMessage.put(
                    arrivals.get(i),
                    new TreatedMessage(decodeResult(results.charAt(i)), decodeState(states.charAt(i))));
        }
        return treatedMessage;
    }

    private static CommandResult decodeResult(char delivery) {
        for (CommandResult result : CommandResult.values()) {
            if (code(result) == delivery) {
                return result;
            }
        }
        throw new IllegalArgumentException("Unknown result code " + delivery);
    }

    private static @Nullable EntryState decodeState(char delivery) {
        if (delivery == NONE) {
            return null;
        }
        for (EntryState state : EntryState.values()) {
            if (code(state) == delivery) {
                return state;
            }
        }
        throw new IllegalArgumentException("Unknown state code " + delivery);
    }

    private static char code(CommandResult result) {
        return switch (result) {
            case DONE -> 'D';
            case CHANGED -> 'C';
            case IN_PROGRESS -> 'P';
            case GONE -> 'G';
            case NOT_APPLICABLE -> 'S';
            case NO_BODY -> 'B';
            case KEY_BUSY -> 'K';
            case REDELIVERED -> 'E';
            case PASSED -> 'L';
            case ORDER_UNKNOWN -> 'O';
        };
    }

    private static char code(@Nullable EntryState state) {
        if (state == null) {
            return NONE;
        }
        return switch (state) {
            case RECEIVED -> 'R';
            case WAITING -> 'W';
            case FAILED_RETRYABLE -> 'F';
            case FAILED_TERMINAL -> 'T';
            case PARKED -> 'P';
            case DISCARDED -> 'D';
        };
    }
}
