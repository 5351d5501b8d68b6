@NullMarked
package io.dedup.report;

import org.jspecify.annotations.NullMarked;
