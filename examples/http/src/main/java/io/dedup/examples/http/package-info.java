/** A REST API and the listeners behind it: each payment is booked once, each refund is made once. */
@NullMarked
package io.dedup.examples.http;

import org.jspecify.annotations.NullMarked;
