/** The samples of docs/fault-plans.md: a listener that loses messages, one that doesn't, and the plans that show it. */
@NullMarked
package io.dedup.examples.plan;

import org.jspecify.annotations.NullMarked;
