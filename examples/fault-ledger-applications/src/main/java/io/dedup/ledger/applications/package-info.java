/** The fault ledger of callers and listeners that have no container of Kafka or RocketMQ. */
@NullMarked
package io.dedup.ledger.applications;

import org.jspecify.annotations.NullMarked;
