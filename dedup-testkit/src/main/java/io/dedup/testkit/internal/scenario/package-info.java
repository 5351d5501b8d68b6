/** What the groups of the contract share: keys to drive, the states a record can be in, racing threads, hostile IDs. */
@NullMarked
package io.dedup.testkit.internal.scenario;

import org.jspecify.annotations.NullMarked;
