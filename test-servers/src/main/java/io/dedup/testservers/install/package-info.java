/** The servers' programs: where their jars are, and where they are unpacked. */
@NullMarked
package io.dedup.testservers.install;

import org.jspecify.annotations.NullMarked;
