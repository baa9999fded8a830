// SPDX-License-Identifier: Apache-2.0
/**
 * For data sources that watch, delay or break what an application does with its database: {@link
 * io.idembox.testkit.jdbc.DelegatingDataSource} passes everything on but the connections, {@link
 * io.idembox.testkit.jdbc.JdbcProxy} intercepts the calls to a connection and to what it returns.
 */
@NullMarked
package io.idembox.testkit.jdbc;

import org.jspecify.annotations.NullMarked;
