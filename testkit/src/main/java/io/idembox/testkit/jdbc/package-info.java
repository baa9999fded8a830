// SPDX-License-Identifier: Apache-2.0
/**
 * Base classes for DataSources that observe, delay or break an application's database calls: {@link
 * io.idembox.testkit.jdbc.DelegatingDataSource} delegates everything but the connections, {@link
 * io.idembox.testkit.jdbc.JdbcProxy} intercepts the calls to a connection and to the objects it returns.
 */
@NullMarked
package io.idembox.testkit.jdbc;

import org.jspecify.annotations.NullMarked;
