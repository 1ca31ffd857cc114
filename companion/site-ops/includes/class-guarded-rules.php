<?php
/**
 * What a guarded write may hold, and what it must find.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;

defined( 'ABSPATH' ) || exit;

/** What is refused before anything is looked at, and how parts are compared with what was expected. */
final class Guarded_Rules {

	/** What may be written; WordPress's own route judges the values and the caller's right to each. */
	const FIELDS = array(
		'title',
		'content',
		'excerpt',
		'slug',
		'author',
		'featured_media',
		'tags',
		'categories',
		'parent',
		'template',
		'status',
		'date',
		'date_gmt',
	);

	/** A schedule must be so far ahead, or WordPress would publish at once. */
	const LEAD_SECONDS = 60;

	/** Parts of which there is any number: one that is not there any more differs. */
	const LISTED = '/^(entry|row):/';

	/**
	 * Refuses what no guarded write may do, whoever asks.
	 *
	 * @param array $fields        What is to be written.
	 * @param bool  $allow_publish Whether the gateway was allowed to publish.
	 * @return WP_Error|null
	 */
	public static function refused( array $fields, $allow_publish ) {
		$strangers = array_diff( array_keys( $fields ), self::FIELDS );
		if ( $strangers || ! $fields ) {
			/* translators: %s: names of fields */
			$text = sprintf( __( 'Cannot be written here: %s', 'site-ops' ), implode( ', ', $strangers ) );
			return Errors::argument( 'fields', $fields ? $text : __( 'Nothing is to be written', 'site-ops' ) );
		}
		$status = array_key_exists( 'status', $fields ) ? $fields['status'] : null;
		$dated  = array_intersect( array( 'date', 'date_gmt' ), array_keys( array_filter( $fields ) ) );
		if ( ! in_array( $status, array( null, 'draft', 'publish', 'future' ), true ) || ( null === $status && array_key_exists( 'status', $fields ) ) ) {
			return Errors::argument( 'fields', __( 'status is draft, future or publish', 'site-ops' ) );
		}
		if ( 'publish' === $status && ! $allow_publish ) {
			return Errors::make( 'not_allowed', __( 'Publishing was not allowed by the gateway', 'site-ops' ) );
		}
		if ( 'future' !== $status ) {
			return $dated ? Errors::argument( 'fields', __( 'A date is set with a schedule only', 'site-ops' ) ) : null;
		}
		$at   = isset( $fields['date_gmt'] ) && is_string( $fields['date_gmt'] ) ? rest_parse_date( $fields['date_gmt'], true ) : false;
		$soon = false === $at || $at < time() + self::LEAD_SECONDS || isset( $fields['date'] );
		return $soon ? Errors::argument( 'fields', __( 'A schedule needs date_gmt, at least 60 s ahead', 'site-ops' ) ) : null;
	}

	/**
	 * Whether that changes fields of what visitors see, and not its state.
	 *
	 * @param array   $fields What is to be written.
	 * @param WP_Post $post   The post as it is now.
	 * @return bool
	 */
	public static function revises( array $fields, WP_Post $post ) {
		return ! array_key_exists( 'status', $fields ) && 'publish' === $post->post_status;
	}

	/**
	 * The SHA-256 of each part.
	 *
	 * @param array $parts Texts by name.
	 * @return array
	 */
	public static function hashes( array $parts ) {
		return array_map(
			static function ( $text ) {
				return hash( 'sha256', (string) $text );
			},
			$parts
		);
	}

	/**
	 * The schema of what a write expects to find.
	 *
	 * @return array
	 */
	public static function expected() {
		return array(
			'expected' => array(
				'type'                 => 'object',
				'required'             => true,
				'minProperties'        => 1,
				'additionalProperties' => array(
					'type'    => 'string',
					'pattern' => '^[0-9a-f]{64}$',
				),
			),
		);
	}

	/**
	 * Refuses where a part is not what was expected, saying which, and who changed the post last and when.
	 *
	 * @param array        $now      The hash of each part as it is.
	 * @param array        $expected Hashes of some of them.
	 * @param WP_Post|null $post     The post they are of, as it is now; null for none.
	 * @return WP_Error|null
	 */
	public static function differ( array $now, array $expected, $post ) {
		$differ = array();
		foreach ( $expected as $name => $hash ) {
			if ( ! isset( $now[ $name ] ) && ! preg_match( self::LISTED, $name ) ) {
				/* translators: %s: name of a part */
				return Errors::argument( 'expected', sprintf( __( 'There is no part %s', 'site-ops' ), $name ) );
			}
			if ( ! isset( $now[ $name ] ) || ! hash_equals( $now[ $name ], $hash ) ) {
				$differ[] = $name;
			}
		}
		if ( ! $differ ) {
			return null;
		}
		/* translators: %s: names of parts */
		$text = sprintf( __( 'Not as expected any more: %s', 'site-ops' ), implode( ', ', $differ ) );
		$data = array( 'differ' => $differ );
		if ( $post ) {
			$data += array(
				'changed'     => Post_Parts::changed( $post ),
				'post_status' => $post->post_status,
			);
		}
		return Errors::make( 'stale', $text, $data );
	}
}
