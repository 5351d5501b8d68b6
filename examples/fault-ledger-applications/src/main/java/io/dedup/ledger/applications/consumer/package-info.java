/** The consumer process: one Spring Boot application for each row. */
@NullMarked
package io.dedup.ledger.applications.consumer;

import org.jspecify.annotations.NullMarked;
