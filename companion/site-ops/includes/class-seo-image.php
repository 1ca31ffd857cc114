<?php
/**
 * Images that are kept as an address and, beside it, as the number of an attachment.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Finds the image of the site's library behind an address, and which of the two an SEO plugin shows. */
final class Seo_Image {

	/**
	 * The attachment at an address, also of one of its smaller sizes, and of the file that WordPress scaled down.
	 *
	 * @param string $url An address.
	 * @return int 0 for none.
	 */
	public static function attachment( $url ) {
		if ( '' === $url ) {
			return 0;
		}
		$whole  = preg_replace( '/-\d+x\d+(?=\.[a-z0-9]+$)/i', '', $url );
		$scaled = preg_replace( '/(\.[a-z0-9]+)$/i', '-scaled$1', $whole );
		foreach ( array_unique( array( $url, $whole, $scaled ) ) as $one ) {
			$id = attachment_url_to_postid( $one );
			if ( 0 !== $id ) {
				return $id;
			}
		}
		return 0;
	}

	/**
	 * The address of the image that is shown: where there is a number the address beside it does not count.
	 *
	 * @param string $url          The address as stored.
	 * @param int    $attachment   The number as stored; 0 for none.
	 * @param bool   $library_only Whether an address without a number is not shown.
	 * @return string Empty for none, also where the attachment is gone.
	 */
	public static function shown( $url, $attachment, $library_only ) {
		if ( 0 === $attachment ) {
			return $library_only ? '' : $url;
		}
		$own = (string) wp_get_attachment_url( $attachment );
		return $url === $own || ( '' !== $own && self::attachment( $url ) === $attachment ) ? $url : $own;
	}
}
