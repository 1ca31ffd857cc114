<?php
/**
 * The tree of elements a visual builder keeps for a page.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Reads, fills and renews trees. Placeholders are {{KEY}} inside texts of the tree, never in its JSON. */
final class Elements {

	const PLACEHOLDER = '/\{\{([A-Z0-9_]+)\}\}/';

	/**
	 * The tree of a post; null where what is stored is no tree.
	 *
	 * @param mixed $stored The meta _elementor_data: JSON text, or an array.
	 * @return array|null
	 */
	public static function read( $stored ) {
		$tree = json_decode( is_array( $stored ) ? Json::text( $stored ) : (string) $stored );
		return self::is_tree( $tree ) ? $tree : null;
	}

	/**
	 * Names of the placeholders in a value, sorted.
	 *
	 * @param mixed $value Any decoded JSON.
	 * @return string[]
	 */
	public static function placeholders( $value ) {
		$names = array();
		self::map(
			$value,
			static function ( $text ) use ( &$names ) {
				preg_match_all( self::PLACEHOLDER, $text, $found );
				$names += array_flip( $found[1] );
				return $text;
			}
		);
		$names = array_map( 'strval', array_keys( $names ) );
		sort( $names );
		return $names;
	}

	/**
	 * A value with its placeholders replaced. What a variable holds is text: nothing in it is a placeholder again.
	 *
	 * @param mixed    $value     Any decoded JSON.
	 * @param string[] $variables Texts by name.
	 * @return mixed
	 */
	public static function fill( $value, array $variables ) {
		$filled = self::map(
			$value,
			static function ( $text ) use ( $variables ) {
				return preg_replace_callback(
					self::PLACEHOLDER,
					static function ( $found ) use ( $variables ) {
						return isset( $variables[ $found[1] ] ) ? $variables[ $found[1] ] : $found[0];
					},
					$text
				);
			}
		);
		return self::renumber( $value, $filled );
	}

	/**
	 * Gives each image whose address was filled in the number of that image: the builder shows the one with the number,
	 * whatever the address beside it says.
	 *
	 * @param mixed $was What was filled.
	 * @param mixed $now The same, filled.
	 * @return mixed
	 */
	private static function renumber( $was, $now ) {
		if ( ! is_array( $was ) && ! is_object( $was ) ) {
			return $now;
		}
		$old = (array) $was;
		$new = (array) $now;
		foreach ( $old as $key => $one ) {
			$new[ $key ] = self::renumber( $one, $new[ $key ] );
		}
		if ( isset( $old['url'], $old['id'] ) && is_string( $old['url'] ) && $old['url'] !== $new['url'] ) {
			$image     = Seo_Image::attachment( $new['url'] );
			$new['id'] = 0 === $image ? '' : $image;
		}
		return is_object( $now ) ? (object) $new : $new;
	}

	/**
	 * Gives every element of a tree a new number; no two have the same.
	 *
	 * @param array $tree A tree; changed in place.
	 * @param array $used Numbers given so far.
	 */
	public static function renew( array $tree, array &$used = array() ) {
		foreach ( $tree as $element ) {
			do {
				$id = sprintf( '%07x', wp_rand( 0x1000000, 0xfffffff ) );
			} while ( isset( $used[ $id ] ) );
			$used[ $id ] = true;
			$element->id = $id;
			if ( isset( $element->elements ) ) {
				self::renew( $element->elements, $used );
			}
		}
	}

	/**
	 * How many elements a tree has.
	 *
	 * @param array $tree A tree.
	 * @return int
	 */
	public static function count( array $tree ) {
		$count = count( $tree );
		foreach ( $tree as $element ) {
			$count += isset( $element->elements ) ? self::count( $element->elements ) : 0;
		}
		return $count;
	}

	/**
	 * Whether a value is a list of elements, down to the last.
	 *
	 * @param mixed $value Any decoded JSON.
	 * @return bool
	 */
	private static function is_tree( $value ) {
		if ( ! is_array( $value ) ) {
			return false;
		}
		foreach ( $value as $element ) {
			if ( ! is_object( $element ) || ! isset( $element->elType ) || ! is_string( $element->elType ) ) { // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the builder's name.
				return false;
			}
			if ( isset( $element->elements ) && ! self::is_tree( $element->elements ) ) {
				return false;
			}
		}
		return true;
	}

	/**
	 * A value with every text changed; names of members stay.
	 *
	 * @param mixed    $value  Any decoded JSON.
	 * @param callable $change Gives the new text for an old one.
	 * @return mixed
	 */
	private static function map( $value, callable $change ) {
		if ( is_string( $value ) ) {
			return $change( $value );
		}
		if ( is_array( $value ) ) {
			foreach ( $value as $key => $one ) {
				$value[ $key ] = self::map( $one, $change );
			}
		} elseif ( is_object( $value ) ) {
			$copy = new \stdClass();
			foreach ( get_object_vars( $value ) as $key => $one ) {
				$copy->{$key} = self::map( $one, $change );
			}
			return $copy;
		}
		return $value;
	}
}
