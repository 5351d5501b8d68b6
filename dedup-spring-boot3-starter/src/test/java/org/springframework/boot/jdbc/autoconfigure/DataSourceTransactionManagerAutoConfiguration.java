package org.springframework.boot.jdbc.autoconfigure;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/** For tests that are compiled for Spring Boot 4 as well: its name for an auto-configuration of Spring Boot 3. */
@ImportAutoConfiguration(
        org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration.class)
public class DataSourceTransactionManagerAutoConfiguration {}
