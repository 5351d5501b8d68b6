/** The rules of architecture that every module obeys. */
@NullMarked
package io.dedup.rules;

import org.jspecify.annotations.NullMarked;
