<?php
/**
 * What a guarded write may hold.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Refuses, before anything is looked at, fields, states and dates that no guarded write has. */
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
}
