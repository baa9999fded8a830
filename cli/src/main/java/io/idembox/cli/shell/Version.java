// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.shell;

import picocli.CommandLine.IVersionProvider;

/** Reads the version from the jar's manifest. */
public final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() {
        return new String[] {"idembox " + number()};
    }

    static String number() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(built from source)" : version;
    }
}
