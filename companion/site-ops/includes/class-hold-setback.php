<?php
/**
 * What would set a held call back.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/**
 * Collects the rows that a held call changed as they were, with sums of what it left, into an image that this site alone
 * can make: so the gateway keeps it, and nothing but what stood there once is ever written back. A call of which one effect
 * cannot be set back has no image, but the reason.
 */
final class Hold_Setback {

	/** Labels of rows that nobody has to set back. */
	const LEFT = array( 'cache', 'own', 'revision' );

	/** Labels of posts, and of what belongs to posts, that can be set back. */
	const LABELS = array( 'draft', 'live', 'structure' );

	/** Columns of a post that can be set back. Its state, its type and its password are none of them. */
	const COLUMNS = array( 'post_title', 'post_content', 'post_excerpt', 'post_name', 'post_parent', 'menu_order', 'post_author', 'comment_status', 'ping_status', 'post_content_filtered', 'to_ping', 'pinged' );

	/** Columns that say when a post was written, and of a draft, which WordPress dates anew each time, its date. */
	const TIMES = array( 'post_modified', 'post_modified_gmt' );

	/** Options that can be set back. */
	const OPTIONS = array( 'blogname', 'blogdescription', 'date_format', 'time_format', 'start_of_week', 'posts_per_page', 'site_icon', 'site_logo' );

	/** More would be no before-image that a gateway keeps. */
	const BYTES_MAX = 3145728;

	/**
	 * What stands for each row.
	 *
	 * @var array[]
	 */
	private $rows = array();

	/**
	 * Why it cannot be; null where it can.
	 *
	 * @var string|null
	 */
	private $why = null;

	/**
	 * Adds an effect outside the database.
	 *
	 * @param string $label   Its label.
	 * @param string $what    What it is.
	 * @param bool   $granted Whether it was a read of another host that the header allows.
	 */
	public function add_outside( $label, $what, $granted ) {
		if ( ! $granted && 'cache' !== $label ) {
			/* translators: %s: what a tool did */
			$this->refuse( sprintf( __( '%s is outside the database', 'site-ops' ), $what ) );
		}
	}

	/**
	 * Adds a row.
	 *
	 * @param string $label Its label.
	 * @param string $short Its table, without prefix.
	 * @param string $what  What it is.
	 * @param array  $pair  The row before and after; null for none.
	 */
	public function add_row( $label, $short, $what, array $pair ) {
		if ( in_array( $label, self::LEFT, true ) ) {
			return;
		}
		$found = in_array( $label, self::LABELS, true ) || 'options' === $short ? self::entry( $short, $pair[0], $pair[1] ) : null;
		if ( null === $found ) {
			/* translators: 1: what a tool changed, 2: made, changed or removed */
			$this->refuse( sprintf( __( '%1$s was %2$s, which the site does not set back', 'site-ops' ), $what, self::word( $pair ) ) );
		} elseif ( array() !== $found ) {
			$this->rows[] = $found;
		}
	}

	/**
	 * Why the call cannot be set back; null where it can.
	 *
	 * @return string|null
	 */
	public function why() {
		return null === $this->why && array() === $this->rows ? __( 'it changed nothing that can be set back', 'site-ops' ) : $this->why;
	}

	/**
	 * What is kept of the call.
	 *
	 * @return array why, and where that is null image and sum.
	 */
	public function kept() {
		$why = $this->why();
		if ( null !== $why ) {
			return array( 'why' => $why );
		}
		$text = Hold_Packing::encode( $this->rows );
		if ( strlen( $text ) > self::BYTES_MAX ) {
			return array( 'why' => __( 'what stood there is too large', 'site-ops' ) );
		}
		return array(
			'why'   => null,
			'image' => self::seal( $text ) . $text,
			'sum'   => self::sum( array_column( $this->rows, 'left' ) ),
		);
	}

	/**
	 * The rows of an image.
	 *
	 * @param string $image As kept() gives it.
	 * @return array[]|null Null for what this site did not make.
	 */
	public static function open( $image ) {
		$seal = substr( $image, 0, 64 );
		$text = (string) substr( $image, 64 );
		return hash_equals( self::seal( $text ), $seal ) ? Hold_Packing::decode( $text ) : null;
	}

	/**
	 * A sum of values.
	 *
	 * @param array $values The values.
	 * @return string
	 */
	public static function sum( array $values ) {
		return hash( 'sha256', serialize( array_map( 'strval', $values ) ) );
	}

	/**
	 * What sets one row back.
	 *
	 * @param string     $short  Its table, without prefix.
	 * @param array|null $before The row before.
	 * @param array|null $after  The row after.
	 * @return array|null Null where nothing does, empty where nothing is to be set back.
	 */
	private static function entry( $short, $before, $after ) {
		switch ( $short ) {
			case 'posts':
				return self::of_post( $before, $after );
			case 'postmeta':
				return self::of_meta( $before, $after );
			case 'term_relationships':
				return self::of_term( $before, $after );
			case 'options':
				return self::of_option( $before, $after );
		}
		return null;
	}

	/**
	 * The same of a post.
	 *
	 * @param array|null $before The row before.
	 * @param array|null $after  The row after.
	 * @return array|null
	 */
	private static function of_post( $before, $after ) {
		if ( null === $before || null === $after ) {
			return null;
		}
		$names   = array_keys( array_diff_assoc( $after, $before ) + array_diff_assoc( $before, $after ) );
		$drafted = in_array( $after['post_status'], Hold_Labels::DRAFTS, true ) && '0000-00-00 00:00:00' === $after['post_date_gmt'];
		$names   = array_diff( $names, self::TIMES, $drafted ? array( 'post_date' ) : array() );
		if ( array_diff( $names, self::COLUMNS ) ) {
			return null;
		}
		if ( ! $names ) {
			return array();
		}
		$names = array_flip( $names );
		ksort( $names );
		return array(
			'table'  => 'posts',
			'post'   => (int) $before['ID'],
			'before' => array_intersect_key( $before, $names ),
			'left'   => self::sum( array_merge( $names, array_intersect_key( $after, $names ) ) ),
		);
	}

	/**
	 * The same of a field of a post that is there on both sides.
	 *
	 * @param array|null $before The row before.
	 * @param array|null $after  The row after.
	 * @return array|null
	 */
	private static function of_meta( $before, $after ) {
		$row = $before ?? $after;
		if ( null !== $before && null !== $after && ( $before['meta_key'] !== $after['meta_key'] || $before['post_id'] !== $after['post_id'] ) ) {
			return null;
		}
		return array(
			'table'  => 'postmeta',
			'post'   => (int) $row['post_id'],
			'id'     => (int) $row['meta_id'],
			'key'    => $row['meta_key'],
			'before' => null === $before ? null : array( 'meta_value' => $before['meta_value'] ),
			'left'   => null === $after ? null : self::sum( array( $after['meta_value'] ) ),
		);
	}

	/**
	 * The same of a term of a post.
	 *
	 * @param array|null $before The row before.
	 * @param array|null $after  The row after.
	 * @return array|null
	 */
	private static function of_term( $before, $after ) {
		$row = $before ?? $after;
		return array(
			'table'  => 'term_relationships',
			'post'   => (int) $row['object_id'],
			'id'     => (int) $row['term_taxonomy_id'],
			'before' => null === $before ? null : array( 'term_order' => $before['term_order'] ),
			'left'   => null === $after ? null : self::sum( array( $after['term_order'] ) ),
		);
	}

	/**
	 * The same of an option.
	 *
	 * @param array|null $before The row before.
	 * @param array|null $after  The row after.
	 * @return array|null
	 */
	private static function of_option( $before, $after ) {
		if ( null === $before || null === $after || ! in_array( $before['option_name'], self::OPTIONS, true ) || $before['option_name'] !== $after['option_name'] ) {
			return null;
		}
		return array(
			'table'  => 'options',
			'key'    => $before['option_name'],
			'before' => array( 'option_value' => $before['option_value'] ),
			'left'   => self::sum( array( $after['option_value'] ) ),
		);
	}

	/**
	 * Says why it cannot be; the first reason stays.
	 *
	 * @param string $why The reason.
	 */
	private function refuse( $why ) {
		$this->why = $this->why ?? $why;
	}

	/**
	 * The word for a change.
	 *
	 * @param array $pair The row before and after.
	 * @return string
	 */
	private static function word( array $pair ) {
		if ( null === $pair[0] ) {
			return __( 'made', 'site-ops' );
		}
		return null === $pair[1] ? __( 'removed', 'site-ops' ) : __( 'changed', 'site-ops' );
	}

	/**
	 * The proof that this site made a text.
	 *
	 * @param string $text The text.
	 * @return string 64 hexadecimal digits.
	 */
	private static function seal( $text ) {
		return hash_hmac( 'sha256', 'site_ops_setback ' . $text, wp_salt( 'auth' ) );
	}
}
