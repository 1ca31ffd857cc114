<?php
/**
 * What the header X-Site-Ops-Hold asks for.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** One reading of the header: how a call is to be held, and what it may do. */
final class Hold_Ask {

	/** What the gateway may allow. */
	const GRANTS = array( 'draft', 'draft-new', 'live', 'revision', 'site', 'structure', 'settings', 'comments', 'files', 'outbound', 'mail', 'cache', 'own', 'other' );

	/** Effects that a hold never commits. */
	const NEVER = array( 'publish', 'schedule', 'code', 'people', 'delete' );

	/** Effects that need no permission. */
	const ALWAYS = array( 'cache', 'own', 'revision' );

	/**
	 * Whether nothing is to stay.
	 *
	 * @var bool
	 */
	public $dry;

	/**
	 * Id of the call, 32 hexadecimal digits.
	 *
	 * @var string
	 */
	public $id;

	/**
	 * What may be among the effects.
	 *
	 * @var string[]
	 */
	public $allow = array();

	/**
	 * The one post whose draft may be changed; 0 for any.
	 *
	 * @var int
	 */
	public $of = 0;

	/**
	 * Id of the dry run that the effects must equal; empty for none.
	 *
	 * @var string
	 */
	public $expect = '';

	/**
	 * Whether the call may read over HTTP.
	 *
	 * @var bool
	 */
	public $reads_http = false;

	/**
	 * Tables and options of the tool server itself, without prefix.
	 *
	 * @var string[]
	 */
	public $own = array();

	/**
	 * Reads the header.
	 *
	 * @param string $value Its value.
	 * @return Hold_Ask|string The reading, or what is wrong with it.
	 */
	public static function read( $value ) {
		$parts = array_map( 'trim', explode( ';', $value ) );
		$mode  = array_shift( $parts );
		if ( ! in_array( $mode, array( 'dry', 'hold' ), true ) ) {
			return __( 'The header X-Site-Ops-Hold begins with neither dry nor hold', 'site-ops' );
		}
		$ask      = new self();
		$ask->dry = 'dry' === $mode;
		foreach ( $parts as $part ) {
			list( $name, $text ) = explode( '=', $part, 2 ) + array( 1 => '' );
			if ( ! $ask->take( $name, $text ) ) {
				/* translators: %s: part of a header */
				return sprintf( __( 'X-Site-Ops-Hold: "%s" is not understood', 'site-ops' ), substr( $part, 0, 60 ) );
			}
		}
		if ( null === $ask->id ) {
			return __( 'X-Site-Ops-Hold has no id', 'site-ops' );
		}
		return $ask->refusal() ?? $ask;
	}

	/**
	 * Takes one part of the header.
	 *
	 * @param string $name Its name.
	 * @param string $text Its value.
	 * @return bool Whether it was understood.
	 */
	private function take( $name, $text ) {
		switch ( $name ) {
			case 'id':
				$this->id = $text;
				return 1 === preg_match( '/^[0-9a-f]{32}$/D', $text );
			case 'expect':
				$this->expect = $text;
				return ! $this->dry && 1 === preg_match( '/^[0-9a-f]{32}$/D', $text );
			case 'allow':
				$this->allow = array_merge( $this->allow, '' === $text ? array() : explode( ',', $text ) );
				return ! $this->dry;
			case 'of':
				$this->of = (int) $text;
				return ! $this->dry && 1 === preg_match( '/^[1-9]\d{0,18}$/D', $text );
			case 'files':
				$this->allow[] = 'files';
				return ! $this->dry && '1' === $text;
			case 'http':
				$this->reads_http = 'get' === $text;
				return in_array( $text, array( 'none', 'get' ), true );
			case 'own':
				$this->own = explode( ',', $text );
				return 1 === preg_match( '/^\w{1,60}(,\w{1,60}){0,19}$/D', $text );
		}
		return false;
	}

	/**
	 * What the header must not ask for.
	 *
	 * @return string|null
	 */
	private function refusal() {
		global $wpdb;
		$never = array_intersect( self::NEVER, $this->allow );
		if ( $never ) {
			/* translators: %s: labels */
			return sprintf( __( 'A hold never commits these effects: %s', 'site-ops' ), implode( ', ', $never ) );
		}
		$unknown = array_diff( $this->allow, self::GRANTS );
		if ( $unknown ) {
			/* translators: %s: labels */
			return sprintf( __( 'These labels are not known: %s', 'site-ops' ), implode( ', ', $unknown ) );
		}
		$taken = array_intersect( array_merge( array_keys( $wpdb->tables( 'all', false ) ), $wpdb->tables( 'all', false ), array( 'site_ops_holds' ) ), $this->own );
		if ( $taken ) {
			/* translators: %s: names of tables */
			return sprintf( __( 'These tables belong to no tool server: %s', 'site-ops' ), implode( ', ', $taken ) );
		}
		return null;
	}
}
