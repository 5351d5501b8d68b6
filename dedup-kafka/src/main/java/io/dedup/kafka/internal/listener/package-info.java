/** The way of records through a decorated listener: admit, plan, call the user's listener, report to the container what isn't done. */
@NullMarked
package io.dedup.kafka.internal.listener;

import org.jspecify.annotations.NullMarked;
