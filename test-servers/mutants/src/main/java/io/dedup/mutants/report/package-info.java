/** The mutants' results: the file from which a stopped run continues, and a table for readers. */
@NullMarked
package io.dedup.mutants.report;

import org.jspecify.annotations.NullMarked;
