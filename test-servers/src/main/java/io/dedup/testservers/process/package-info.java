/** Servers in separate processes, which end with this JVM, and free ports for them. */
@NullMarked
package io.dedup.testservers.process;

import org.jspecify.annotations.NullMarked;
