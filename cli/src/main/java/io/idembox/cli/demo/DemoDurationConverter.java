// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses durations: {@code 2s}, {@code 500ms}, {@code 2} for seconds. */
final class DemoDurationConverter implements ITypeConverter<Duration> {

    private static final Pattern TIME = Pattern.compile("(\\d{1,6})\\s*(ms|s)?");

    @Override
    public Duration convert(String text) {
        Matcher matcher = TIME.matcher(text.strip());
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is not a duration; write 2s or 500ms");
        }
        long number = Long.parseLong(matcher.group(1));
        return "ms".equals(matcher.group(2)) ? Duration.ofMillis(number) : Duration.ofSeconds(number);
    }
}
