/** Which applications there are, and how much is sent to them and broken. */
@NullMarked
package io.dedup.ledger.applications.plan;

import org.jspecify.annotations.NullMarked;
