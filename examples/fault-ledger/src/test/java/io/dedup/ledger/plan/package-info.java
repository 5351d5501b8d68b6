/** Tests of the plan and the settings. */
@NullMarked
package io.dedup.ledger.plan;

import org.jspecify.annotations.NullMarked;
