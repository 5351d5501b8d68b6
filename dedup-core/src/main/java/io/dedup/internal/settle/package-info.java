/** Completes, releases or abandons the claim of a run that has ended. Not API. */
@NullMarked
package io.dedup.internal.settle;

import org.jspecify.annotations.NullMarked;
