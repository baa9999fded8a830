// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The addresses that a consumer process needs.
 *
 * @param ordersUrl the database of the consumers of orders
 * @param receiptsUrl the database of the second service
 */
record DemoAddresses(String ordersUrl, String receiptsUrl, String bootstrap) {

    /** The arguments of a process. */
    List<String> arguments() {
        return List.of(ordersUrl, receiptsUrl, bootstrap);
    }

    /** Connections to the database of a consumer. */
    HikariDataSource pool(Role role, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(role == Role.RECEIPTS ? receiptsUrl : ordersUrl);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    /** The settings that all consumers share. */
    Map<String, Object> kafka() {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", bootstrap);
        config.put("session.timeout.ms", Long.toString(Role.SESSION.toMillis()));
        config.put("heartbeat.interval.ms", "500");
        return config;
    }

    /**
     * The settings of a relay's producer: it gets the result of a publication before the lease of the relay expires.
     */
    Map<String, Object> publishing() {
        return Map.of(
                "bootstrap.servers",
                bootstrap,
                "delivery.timeout.ms",
                Long.toString(Role.LEASE.toMillis() / 2),
                "max.block.ms",
                Long.toString(Role.LEASE.toMillis() / 3));
    }
}
