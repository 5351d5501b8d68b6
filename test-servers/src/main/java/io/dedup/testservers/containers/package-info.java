/** Servers in containers, where there is Docker. */
@NullMarked
package io.dedup.testservers.containers;

import org.jspecify.annotations.NullMarked;
