/** Small helpers of this project; not API, may change in any release. */
@NullMarked
package io.dedup.internal;

import org.jspecify.annotations.NullMarked;
