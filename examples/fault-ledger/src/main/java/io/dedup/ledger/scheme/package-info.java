/** The schemes that are compared: what people write by hand, and what they take off the shelf, each in one class. */
@NullMarked
package io.dedup.ledger.scheme;

import org.jspecify.annotations.NullMarked;
