/** What the examples have in common: a shop's orders, the table of their payments, and consumers in processes. */
@NullMarked
package io.dedup.examples.shop;

import org.jspecify.annotations.NullMarked;
