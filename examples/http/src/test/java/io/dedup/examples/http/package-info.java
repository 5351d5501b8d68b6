@NullMarked
package io.dedup.examples.http;

import org.jspecify.annotations.NullMarked;
