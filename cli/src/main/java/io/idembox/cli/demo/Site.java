// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where everything is: what a process has to be told. */
record Site(String jdbcUrl, String bootstrap, String topic) {

    /** The arguments of a process. */
    List<String> arguments() {
        return List.of(jdbcUrl, bootstrap, topic);
    }

    HikariDataSource pool(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    /** The settings that all three consumers share. */
    Map<String, Object> kafka() {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", bootstrap);
        config.put("session.timeout.ms", Long.toString(Role.SESSION.toMillis()));
        config.put("heartbeat.interval.ms", "500");
        return config;
    }
}
