/** What is compared, sent and broken: decided by the settings and the seed before anything runs. */
@NullMarked
package io.dedup.ledger.plan;

import org.jspecify.annotations.NullMarked;
