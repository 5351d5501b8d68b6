/** What became of the mutants: the file that a run goes on from, and a table for readers. */
@NullMarked
package io.dedup.mutants.report;

import org.jspecify.annotations.NullMarked;
