/** The counts as a file and as a table. */
@NullMarked
package io.dedup.failover.report;

import org.jspecify.annotations.NullMarked;
