// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.admin.Status;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a status in any case and with hyphens: {@code parked}, {@code PARKED}, {@code failed-terminal}. */
final class StatusConverter implements ITypeConverter<Status> {

    @Override
    public Status convert(String text) {
        String name = text.strip().toUpperCase(Locale.ROOT).replace('-', '_');
        return Arrays.stream(Status.values())
                .filter(status -> status.name().equals(name) && status != Status.COMPLETED)
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is not one of " + all()
                        + "; find a completed message by its id with messages get"));
    }

    private static String all() {
        return Arrays.stream(Status.values())
                .filter(status -> status != Status.COMPLETED)
                .map(Status::name)
                .collect(Collectors.joining(", "));
    }
}
