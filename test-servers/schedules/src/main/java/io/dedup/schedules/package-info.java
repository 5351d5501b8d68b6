/** What several threads of dedup do at once, under schedules that are drawn. */
@NullMarked
package io.dedup.schedules;

import org.jspecify.annotations.NullMarked;
