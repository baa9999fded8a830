// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes plain values as JSON and escapes terminal control characters. Pure. */
final class JsonText {

    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .characterEscapes(new ControlCharacterEscapes())
            .build();

    private JsonText() {}

    static String line(@Nullable Object plain) {
        return written(plain, false);
    }

    static String pretty(@Nullable Object plain) {
        return written(plain, true);
    }

    private static String written(@Nullable Object plain, boolean pretty) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            if (pretty) {
                DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
                DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
                printer.indentObjectsWith(indenter);
                printer.indentArraysWith(indenter);
                generator.setPrettyPrinter(printer);
            }
            write(generator, plain);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private static void write(JsonGenerator generator, @Nullable Object plain) throws IOException {
        if (plain instanceof Map<?, ?> map) {
            generator.writeStartObject();
            for (Map.Entry<?, ?> each : map.entrySet()) {
                generator.writeFieldName(String.valueOf(each.getKey()));
                write(generator, each.getValue());
            }
            generator.writeEndObject();
        } else if (plain instanceof Iterable<?> all) {
            generator.writeStartArray();
            for (Object each : all) {
                write(generator, each);
            }
            generator.writeEndArray();
        } else if (plain instanceof Boolean truth) {
            generator.writeBoolean(truth);
        } else if (plain instanceof Double || plain instanceof Float) {
            generator.writeNumber(((Number) plain).doubleValue());
        } else if (plain instanceof Number number) {
            generator.writeNumber(number.longValue());
        } else if (plain == null) {
            generator.writeNull();
        } else {
            generator.writeString(plain.toString());
        }
    }

    private static final class ControlCharacterEscapes extends CharacterEscapes {

        private static final long serialVersionUID = 1L;

        @Override
        public int[] getEscapeCodesForAscii() {
            int[] codes = standardAsciiEscapesForJSON();
            codes[0x7f] = ESCAPE_STANDARD;
            return codes;
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int character) {
            // Surrogates are passed one at a time; most belong to a valid pair, so they are not escaped.
            boolean half = Character.getType(character) == Character.SURROGATE;
            return !half && TerminalText.isHidden(character)
                    ? new SerializedString("\\u%04x".formatted(character))
                    : null;
        }
    }
}
