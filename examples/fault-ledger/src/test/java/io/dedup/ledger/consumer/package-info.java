/** Tests of the arguments of a consumer process. */
@NullMarked
package io.dedup.ledger.consumer;

import org.jspecify.annotations.NullMarked;
