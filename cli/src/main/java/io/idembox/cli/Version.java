// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import picocli.CommandLine.IVersionProvider;

/** The version as the jar says it. */
final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() {
        String version = Main.class.getPackage().getImplementationVersion();
        return new String[] {"idembox " + (version == null ? "(built from source)" : version)};
    }
}
