@NullMarked
package io.dedup.adapter;

import org.jspecify.annotations.NullMarked;
